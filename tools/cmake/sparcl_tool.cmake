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
add_library(sparcl_tool OBJECT ${page_files}
  tools/sparcl/all_nodes.c tools/sparcl/item_lines.c tools/sparcl/options.c tools/sparcl/option_values.c tools/sparcl/help_page.c tools/sparcl/config.c tools/sparcl/file_sum.c tools/sparcl/files.c tools/sparcl/manifest.c tools/sparcl/train_history.c tools/sparcl/train_log.c tools/sparcl/event_file.c tools/sparcl/column_line.c tools/sparcl/input_file.c tools/sparcl/input_notes.c tools/sparcl/live_line.c tools/sparcl/message.c tools/sparcl/model_file.c tools/sparcl/model_input.c tools/sparcl/model_kind.c tools/sparcl/predict_lines.c tools/sparcl/predict_parts.c tools/sparcl/not_finite.c tools/sparcl/open_device.c tools/sparcl/optimizer.c tools/sparcl/output.c tools/sparcl/progress.c tools/sparcl/class_curves.c tools/sparcl/class_result.c tools/sparcl/class_weights.c tools/sparcl/metrics_result.c tools/sparcl/rank_result.c tools/sparcl/stop.c tools/sparcl/train_auto.c tools/sparcl/train_check.c tools/sparcl/train_checkpoint.c tools/sparcl/train_curve.c tools/sparcl/train_graph.c tools/sparcl/train_modes.c tools/sparcl/train_names.c tools/sparcl/train_notes.c tools/sparcl/worse_model.c tools/sparcl/train_options.c tools/sparcl/train_plan.c tools/sparcl/unknown_labels.c tools/sparcl/word_labels.c tools/sparcl/user_items.c tools/sparcl/pair_names.c tools/sparcl/train_probe.c tools/sparcl/code_use.c tools/sparcl/train_profile.c tools/sparcl/profile_parts.c
  tools/sparcl/cmd_plan.c tools/sparcl/plan_check.c
  tools/sparcl/cmd_tune.c tools/sparcl/tune_case.c tools/sparcl/tune_explain.c tools/sparcl/tune_time.c tools/sparcl/variant.c tools/sparcl/bench_report.c
  tools/sparcl/cmd_sweep.c tools/sparcl/sweep_grid.c tools/sparcl/sweep_options.c tools/sparcl/sweep_point.c tools/sparcl/sweep_run.c tools/sparcl/sweep_table.c tools/sparcl/metric_names.c
  tools/sparcl/cmd_train.c tools/sparcl/train_result.c tools/sparcl/cmd_encode.c tools/sparcl/cmd_infer.c tools/sparcl/cmd_eval.c tools/sparcl/cmd_predict.c tools/sparcl/cmd_inspect.c tools/sparcl/cmd_validate.c tools/sparcl/cmd_convert.c tools/sparcl/cmd_split.c tools/sparcl/cmd_sample.c tools/sparcl/data_output.c tools/sparcl/cmd_show.c tools/sparcl/show_facts.c tools/sparcl/show_hashed.c tools/sparcl/show_nearest.c tools/sparcl/show_weights.c tools/sparcl/column_names.c tools/sparcl/column_spread.c tools/sparcl/top_list.c tools/sparcl/cmd_diff.c tools/sparcl/run_file.c tools/sparcl/cmd_report.c tools/sparcl/report_chart.c tools/sparcl/report_page.c tools/sparcl/report_ranking.c tools/sparcl/report_run.c tools/sparcl/report_sets.c tools/sparcl/report_table.c tools/sparcl/cmd_devices.c
  tools/sparcl/column_sizes.c tools/sparcl/cmd_bench.c tools/sparcl/bench_matrix.c tools/sparcl/bench_time.c tools/sparcl/bench_limits.c tools/sparcl/bench_profile.c tools/sparcl/bench_scale.c
  tools/sparcl/bench_crossover.c tools/sparcl/limits.c tools/sparcl/svg.c tools/sparcl/threads.c tools/sparcl/verbose.c
  tools/sparcl/cmd_doctor.c tools/sparcl/child_clock.c tools/sparcl/crash.c tools/sparcl/lost_file.c tools/sparcl/pocl_cache.c tools/sparcl/doctor_cache.c tools/sparcl/doctor_cases.c tools/sparcl/doctor_device.c tools/sparcl/doctor_icd.c tools/sparcl/doctor_speed.c tools/sparcl/doctor_try.c
  tools/sparcl/cmd_version.c tools/sparcl/cmd_help.c tools/sparcl/help_csv.c tools/sparcl/help_operations.c tools/sparcl/man.c tools/sparcl/roff.c tools/sparcl/completion.c)
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
  file(STRINGS ${PROJECT_SOURCE_DIR}/tools/sparcl/cmd_help.c topics REGEX "^    {\"[a-z-]+\", \"")
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
