# The sparcl tool: sees the public headers of the two libraries, and has the writer of files and the plain-C answers of its own.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(POPT REQUIRED IMPORTED_TARGET popt)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(SMARTCOLS REQUIRED IMPORTED_TARGET smartcols)

# What the pages of `sparcl report` have in them, as bytes.
set(page_files)
foreach(file third_party/uplot/uPlot.iife.js third_party/uplot/uPlot.min.css third_party/uplot/uPlot.LICENSE tools/sparcl/report_page.js)
  cmake_path(GET file FILENAME name)
  string(MAKE_C_IDENTIFIER ${name} name)
  set(out ${PROJECT_BINARY_DIR}/page/${name}.c)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/${file} -DOUT=${out} -DSYMBOL=page_${name} -DFROM=${file}
            -P ${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/${file} ${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake
    VERBATIM)
  list(APPEND page_files ${out})
endforeach()

# All but sparcl.c, which has main and the list of commands: tests of its readers have their own.
set(tool_files
  all_nodes bench_crossover bench_limits bench_matrix bench_profile bench_report bench_scale bench_time child_clock
  class_curves class_result class_weights cmd_bench cmd_convert cmd_devices cmd_diff cmd_doctor cmd_encode cmd_eval
  cmd_help cmd_infer cmd_inspect cmd_plan cmd_predict cmd_report cmd_sample cmd_show cmd_split cmd_sweep cmd_train
  cmd_tune cmd_validate cmd_version code_use column_line column_names column_sizes column_spread completion config
  crash data_output doctor doctor_cache doctor_cases doctor_device doctor_icd doctor_speed doctor_try event_file
  file_sum files help_csv help_operations help_page help_topics input_file input_notes item_lines limits live_line
  lost_file man manifest message metric_names metrics_result model_file model_input model_kind not_finite open_device
  optimizer option_values options output pair_names plan_check pocl_cache predict_lines predict_parts printable
  profile_parts progress rank_result report_chart report_page report_ranking report_run report_sets report_table roff
  run_file show_facts show_hashed show_nearest show_weights stop svg sweep_grid sweep_options sweep_point sweep_run
  sweep_table threads top_list train_auto train_check train_checkpoint train_curve train_graph train_history train_log
  train_modes train_names train_notes train_options train_plan train_probe train_profile train_result train_run
  tune_case tune_explain tune_time unknown_labels user_items variant verbose word_labels worse_model)
list(TRANSFORM tool_files PREPEND tools/sparcl/)
list(TRANSFORM tool_files APPEND .c)
add_library(sparcl_tool OBJECT ${page_files} ${tool_files})
sparcl_common(sparcl_tool)
target_link_libraries(sparcl_tool PRIVATE PkgConfig::NETTLE PkgConfig::POPT PkgConfig::SMARTCOLS PkgConfig::JANSSON)
add_executable(sparcl tools/sparcl/sparcl.c $<TARGET_OBJECTS:sparcl_tool> $<TARGET_OBJECTS:sparcl_base> $<TARGET_OBJECTS:sparcl_spec_objects>)
sparcl_common(sparcl)
target_link_libraries(sparcl PRIVATE sparcl_train_shared sparcl_shared
  PkgConfig::NETTLE PkgConfig::POPT PkgConfig::SMARTCOLS PkgConfig::JANSSON m ${CMAKE_DL_LIBS})

# Manual pages and completions, which the tool prints from its own tables. (A tool for another machine
# does not run here, but by an emulator.)
set(SPARCL_REFERENCE)
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(SPARCL_REFERENCE ${PROJECT_BINARY_DIR}/reference)
  file(MAKE_DIRECTORY ${SPARCL_REFERENCE}/man1 ${SPARCL_REFERENCE}/man7)
  # sparcl_reference(FILE arguments...): what `sparcl help` prints with these.
  function(sparcl_reference file)
    add_custom_command(OUTPUT ${SPARCL_REFERENCE}/${file}
      COMMAND sparcl help ${ARGN} > ${SPARCL_REFERENCE}/${file} DEPENDS sparcl VERBATIM)
    set_property(GLOBAL APPEND PROPERTY SPARCL_REFERENCE_FILES ${SPARCL_REFERENCE}/${file})
  endfunction()
  sparcl_reference(man1/sparcl.1 --man)
  get_target_property(commands sparcl_tool SOURCES)
  list(FILTER commands INCLUDE REGEX "/cmd_[a-z]+\\.c$")
  list(TRANSFORM commands REPLACE ".*/cmd_([a-z]+)\\.c$" "\\1")
  foreach(command IN LISTS commands)
    sparcl_reference(man1/sparcl-${command}.1 ${command} --man)
  endforeach()
  file(STRINGS ${PROJECT_SOURCE_DIR}/tools/sparcl/help_topics.c topics REGEX "^    {\"[a-z-]+\", \"")
  foreach(topic IN LISTS topics)
    string(REGEX REPLACE "^    {\"([a-z-]+)\".*" "\\1" topic "${topic}")
    sparcl_reference(man7/sparcl-${topic}.7 ${topic} --man)
  endforeach()
  sparcl_reference(sparcl.bash --completion bash)
  sparcl_reference(_sparcl --completion zsh)
  sparcl_reference(sparcl.fish --completion fish)
  get_property(reference_files GLOBAL PROPERTY SPARCL_REFERENCE_FILES)
  add_custom_target(reference ALL DEPENDS ${reference_files})
endif()
