# libsparcl: the core, shared and static.
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

add_library(sparcl_core OBJECT ${core_sources} ${embedded} ${kernel_dir}/kernels.c)
sparcl_common(sparcl_core)
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
set(SPARCL_SPEC_EXTERNS)
set(SPARCL_SPEC_ENTRIES)
set(spec_sources)
foreach(stem IN LISTS specs)
  list(APPEND spec_sources src/spec/spec_${stem}.c)
  string(APPEND SPARCL_SPEC_EXTERNS "extern const spec_op spec_${stem};\n")
  string(APPEND SPARCL_SPEC_ENTRIES "    &spec_${stem},\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/spec_list.c.in ${kernel_dir}/spec_list.c @ONLY)
add_library(sparcl_spec_objects OBJECT
  ${spec_sources} ${kernel_dir}/spec_list.c
  src/spec/bag_case.c src/spec/bag_gradients.c
  src/spec/bench.c src/spec/bench_add_n.c src/spec/bench_arrays.c src/spec/bench_convert.c src/spec/bench_coo.c src/spec/bench_coo_arrays.c src/spec/bench_csr_pairs.c
  src/spec/bench_csr_shape.c src/spec/bench_dense_parts.c
  src/spec/bench_dense.c src/spec/bench_elementwise.c src/spec/bench_embedding.c src/spec/bench_embedding_gradients.c
  src/spec/bench_folds.c src/spec/bench_gradients.c src/spec/bench_layers.c src/spec/bench_matmul.c
  src/spec/bench_norm.c src/spec/bench_order.c src/spec/bench_product_gradients.c src/spec/bench_reduce.c src/spec/bench_rows.c
  src/spec/bench_rows_select.c
  src/spec/bench_select_rows.c src/spec/bench_softmax.c
  src/spec/bench_sparse_products.c src/spec/bench_spmm.c src/spec/bench_step.c src/spec/bench_step_check.c src/spec/bench_structure.c
  src/spec/bench_transpose.c src/spec/benches.c src/spec/dense_entries.c src/spec/elementary.c
  src/spec/entries.c src/spec/folds.c src/spec/half_states.c
  src/spec/made.c src/spec/matmul_case.c src/spec/philox.c src/spec/num.c src/spec/rowset.c src/spec/lazy_answer.c src/spec/rule_answer.c
  src/spec/answer_gradient.c src/spec/answer_adagrad.c src/spec/answer_adam.c src/spec/answer_rmsprop.c src/spec/answer_proximal.c
  src/spec/answer_row.c src/spec/answer_row_adam.c src/spec/answer_row_counter.c src/spec/pair_power.c src/spec/answer_nadam.c src/spec/answer_sign.c src/spec/answer_table.c src/spec/step_case.c src/spec/spec.c
  src/spec/spec_input.c src/spec/stored.c src/spec/unary_answer.c src/spec/unary_functions.c)
sparcl_common(sparcl_spec_objects)
add_library(sparcl_spec STATIC $<TARGET_OBJECTS:sparcl_spec_objects>)
set_target_properties(sparcl_spec PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(sparcl_spec PUBLIC sparcl_static m)
