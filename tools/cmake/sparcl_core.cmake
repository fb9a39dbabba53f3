# What both libraries share, and libsparcl: the core, shared and static.
get_property(base_sources GLOBAL PROPERTY SPARCL_BASE_SOURCES)
add_library(sparcl_base OBJECT ${base_sources})
sparcl_common(sparcl_base)
target_compile_definitions(sparcl_base PRIVATE SPARCL_BUILD)

get_property(core_sources GLOBAL PROPERTY SPARCL_CORE_SOURCES)
get_property(kernels GLOBAL PROPERTY SPARCL_KERNELS)

# Every kernel file as a byte array, and one table that names them.
set(kernel_dir ${PROJECT_BINARY_DIR}/kernels)
set(embedded)
foreach(stem IN LISTS kernels)
  set(out ${kernel_dir}/${stem}.c)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/cl/${stem}.cl -DOUT=${out} -DSYMBOL=spc_kernel_${stem}
            -DFROM=cl/${stem}.cl -P ${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cl/${stem}.cl ${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake
    VERBATIM)
  list(APPEND embedded ${out})
endforeach()
list(TRANSFORM kernels REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE kernel_entries)
list(JOIN kernel_entries " " SPARCL_KERNEL_LIST)
configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/kernels.c.in ${kernel_dir}/kernels.c @ONLY)

file(GLOB_RECURSE core_headers ${PROJECT_SOURCE_DIR}/src/*.h)
add_custom_command(OUTPUT ${kernel_dir}/programs.c
  COMMAND ${CMAKE_COMMAND} "-DFILES=${core_sources};${core_headers}" -DKERNELS=${PROJECT_SOURCE_DIR}/cl
          -DOUT=${kernel_dir}/programs.c -P ${PROJECT_SOURCE_DIR}/tools/cmake/programs.cmake
  DEPENDS ${core_sources} ${core_headers} ${PROJECT_SOURCE_DIR}/tools/cmake/programs.cmake
  VERBATIM)

add_library(sparcl_core OBJECT ${core_sources} ${embedded} ${kernel_dir}/kernels.c
  ${kernel_dir}/programs.c)
sparcl_common(sparcl_core)
target_compile_definitions(sparcl_core PRIVATE SPARCL_BUILD)
target_link_libraries(sparcl_core PRIVATE OpenCL::OpenCL)

set(core_links OpenCL::OpenCL Threads::Threads m)
if(SPARCL_CLBLAST)
  # CLBlast ships no version file, so it is asked for without one.
  find_package(CLBlast CONFIG QUIET)
  if(TARGET clblast)
    target_compile_definitions(sparcl_core PRIVATE SPC_HAVE_CLBLAST=1)
    target_link_libraries(sparcl_core PRIVATE clblast)
    list(APPEND core_links clblast)
  else()
    message(STATUS "sparcl: CLBlast was not found; dense products have the exact class only")
  endif()
endif()

foreach(kind shared static)
  string(TOUPPER ${kind} kind_upper)
  set(target sparcl_${kind})
  add_library(${target} ${kind_upper} $<TARGET_OBJECTS:sparcl_core> $<TARGET_OBJECTS:sparcl_base>)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${core_links})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME sparcl LINKER_LANGUAGE C)
  if(SPARCL_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${SPARCL_SANITIZE})
  endif()
endforeach()
set_target_properties(sparcl_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${SPARCL_SOVERSION} EXPORT_NAME sparcl)
add_library(sparcl::sparcl ALIAS sparcl_shared)
add_library(sparcl::sparcl_static ALIAS sparcl_static)

# The plain-C answers: not in the library, used by tests, bench and doctor.
get_property(specs GLOBAL PROPERTY SPARCL_SPECS)
get_property(spec_sources GLOBAL PROPERTY SPARCL_SPEC_SOURCES)
set(SPARCL_SPEC_EXTERNS)
set(SPARCL_SPEC_ENTRIES)
foreach(stem IN LISTS specs)
  string(APPEND SPARCL_SPEC_EXTERNS "extern const spec_op spec_${stem};\n")
  string(APPEND SPARCL_SPEC_ENTRIES "    &spec_${stem},\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/spec_list.c.in ${kernel_dir}/spec_list.c @ONLY)
add_library(sparcl_spec_objects OBJECT ${spec_sources} ${kernel_dir}/spec_list.c)
sparcl_common(sparcl_spec_objects)
add_library(sparcl_spec STATIC $<TARGET_OBJECTS:sparcl_spec_objects>)
set_target_properties(sparcl_spec PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(sparcl_spec PUBLIC sparcl_static m)
