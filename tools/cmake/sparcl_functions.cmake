# The functions that the top-level file is written in.

# Flags that every target of ours gets; nothing is set on the parent project.
function(sparcl_common target)
  target_compile_features(${target} PRIVATE c_std_11)
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON C_EXTENSIONS OFF)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L CL_TARGET_OPENCL_VERSION=120
    SPARCL_EXPERIMENTAL)
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

# sparcl_sources(LIBRARY folder name...): src/<folder>/<name>.c of BASE, CORE, TRAIN or SPEC.
function(sparcl_sources library folder)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/${folder}/)
  list(TRANSFORM ARGN APPEND .c)
  set_property(GLOBAL APPEND PROPERTY SPARCL_${library}_SOURCES ${ARGN})
endfunction()

# Embed cl/<stem>.cl in the library.
function(sparcl_kernels)
  set_property(GLOBAL APPEND PROPERTY SPARCL_KERNELS ${ARGN})
endfunction()

# sparcl_specs(kind stem...): src/spec/<kind>/spec_<stem>.c.
function(sparcl_specs kind)
  set_property(GLOBAL APPEND PROPERTY SPARCL_SPECS ${ARGN})
  list(TRANSFORM ARGN PREPEND spec_)
  sparcl_sources(SPEC spec/${kind} ${ARGN})
endfunction()

# sparcl_ops(kind stem...): operations with all of cl/<stem>.cl, src/ops/<kind>/<stem>.c, src/spec/<kind>/spec_<stem>.c and
# tests/ops/<kind>/test_<stem>.c.
function(sparcl_ops kind)
  sparcl_sources(CORE ops/${kind} ${ARGN})
  sparcl_kernels(${ARGN})
  sparcl_specs(${kind} ${ARGN})
  list(TRANSFORM ARGN PREPEND ops/${kind}/test_)
  set_property(GLOBAL APPEND PROPERTY SPARCL_OP_TESTS ${ARGN})
endfunction()
