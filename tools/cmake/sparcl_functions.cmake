# The functions that the top-level file is written in.

# Flags that every target of ours gets; nothing is set on the parent project.
function(sparcl_common target)
  target_compile_features(${target} PRIVATE c_std_11)
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON C_EXTENSIONS OFF)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L CL_TARGET_OPENCL_VERSION=120)
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  # No contraction: the plain-C answers must add and multiply as the kernels do.
  target_compile_options(${target} PRIVATE -ffp-contract=off
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes)
  if(SPARCL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SPARCL_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${SPARCL_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${SPARCL_SANITIZE})
  endif()
  if(SPARCL_FUZZ)
    # The fuzzer sees which ways the library takes, but not what is compared: docs/testing.md has what that costs and finds.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
    target_compile_definitions(${target} PRIVATE SPARCL_FUZZ)
  endif()
endfunction()

function(sparcl_core_sources)
  set_property(GLOBAL APPEND PROPERTY SPARCL_CORE_SOURCES ${ARGN})
endfunction()

# Embed cl/<stem>.cl in the library.
function(sparcl_kernels)
  set_property(GLOBAL APPEND PROPERTY SPARCL_KERNELS ${ARGN})
endfunction()

# One op, one stem: cl/x.cl, src/ops/x.c, src/spec/spec_x.c, tests/ops/test_x.c.
function(sparcl_op stem)
  sparcl_core_sources(src/ops/${stem}.c)
  sparcl_kernels(${stem})
  set_property(GLOBAL APPEND PROPERTY SPARCL_SPECS ${stem})
  set_property(GLOBAL APPEND PROPERTY SPARCL_OP_TESTS ${stem})
endfunction()
