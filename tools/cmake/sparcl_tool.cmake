# The sparcl tool: sees only the public headers of the two libraries.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(POPT REQUIRED IMPORTED_TARGET popt)
pkg_check_modules(SMARTCOLS REQUIRED IMPORTED_TARGET smartcols)

add_executable(sparcl
  tools/sparcl.c tools/options.c tools/nearest.c tools/common.c tools/output.c tools/progress.c tools/stop.c tools/train_profile.c
  tools/cmd_plan.c tools/plan_check.c
  tools/cmd_tune.c tools/tune_case.c tools/tune_explain.c tools/tune_time.c tools/variant.c tools/bench_tell.c
  tools/cmd_train.c tools/cmd_eval.c tools/cmd_predict.c tools/cmd_inspect.c tools/cmd_devices.c
  tools/cmd_bench.c tools/bench_matrix.c tools/bench_time.c tools/bench_limits.c tools/bench_profile.c tools/bench_scale.c
  tools/bench_crossover.c tools/limits.c tools/svg.c tools/threads.c
  tools/cmd_doctor.c tools/doctor_cache.c tools/doctor_device.c tools/doctor_icd.c tools/doctor_speed.c
  tools/cmd_version.c tools/cmd_help.c $<TARGET_OBJECTS:sparcl_spec_objects>)
sparcl_common(sparcl)
target_link_libraries(sparcl PRIVATE sparcl_train_shared sparcl_shared
  PkgConfig::POPT PkgConfig::SMARTCOLS PkgConfig::JANSSON m ${CMAKE_DL_LIBS})
