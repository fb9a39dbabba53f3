# The sparcl tool: sees only the public headers of the two libraries.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(POPT REQUIRED IMPORTED_TARGET popt)
pkg_check_modules(SMARTCOLS REQUIRED IMPORTED_TARGET smartcols)

add_executable(sparcl
  tools/sparcl/sparcl.c tools/sparcl/options.c tools/sparcl/nearest.c tools/sparcl/common.c tools/sparcl/output.c tools/sparcl/progress.c tools/sparcl/stop.c tools/sparcl/train_profile.c
  tools/sparcl/cmd_plan.c tools/sparcl/plan_check.c
  tools/sparcl/cmd_tune.c tools/sparcl/tune_case.c tools/sparcl/tune_explain.c tools/sparcl/tune_time.c tools/sparcl/variant.c tools/sparcl/bench_report.c
  tools/sparcl/cmd_train.c tools/sparcl/cmd_eval.c tools/sparcl/cmd_predict.c tools/sparcl/cmd_inspect.c tools/sparcl/cmd_devices.c
  tools/sparcl/cmd_bench.c tools/sparcl/bench_matrix.c tools/sparcl/bench_time.c tools/sparcl/bench_limits.c tools/sparcl/bench_profile.c tools/sparcl/bench_scale.c
  tools/sparcl/bench_crossover.c tools/sparcl/limits.c tools/sparcl/svg.c tools/sparcl/threads.c
  tools/sparcl/cmd_doctor.c tools/sparcl/doctor_cache.c tools/sparcl/doctor_device.c tools/sparcl/doctor_icd.c tools/sparcl/doctor_speed.c
  tools/sparcl/cmd_version.c tools/sparcl/cmd_help.c $<TARGET_OBJECTS:sparcl_spec_objects>)
sparcl_common(sparcl)
target_link_libraries(sparcl PRIVATE sparcl_train_shared sparcl_shared
  PkgConfig::POPT PkgConfig::SMARTCOLS PkgConfig::JANSSON m ${CMAKE_DL_LIBS})
