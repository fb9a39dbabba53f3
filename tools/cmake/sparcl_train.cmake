# libsparcl-train: readers, models and the training loop; sees only the core's public headers.
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

set(train_sources
  src/data/adjacency_list.c src/data/binary_read.c src/data/binary_write.c src/data/bipartite.c src/data/block_pairs.c src/data/block_rows.c src/data/blockreader.c src/data/blocksource.c src/data/crc32.c src/data/crosses.c src/data/csv.c src/data/csvblock.c src/data/csvclasses.c src/data/csvcolumns.c src/data/csvcrosses.c src/data/csvfinish.c src/data/csvform.c src/data/csvguess.c src/data/csvguessform.c src/data/csvids.c src/data/csvlabel.c src/data/csvnames.c src/data/csvnotes.c src/data/csvnumbers.c src/data/csvplaces.c src/data/csvplan.c src/data/csvshape.c src/data/csvtext.c src/data/csvtitle.c src/data/csvwords.c src/data/cursor.c src/data/data.c src/data/data_read.c src/data/dataset.c src/data/decode.c src/data/dense.c src/data/detect.c src/data/foreign_file.c src/data/from_arrays.c src/data/edges.c src/data/export.c src/data/export_text.c src/data/export_npz.c src/data/hashes.c src/data/id_columns.c src/data/id_table.c src/data/ids.c src/data/idx.c src/data/matrix_ids.c
  src/data/input.c src/data/kept_names.c src/data/beginning.c src/data/line_marks.c src/data/lines.c src/data/member_path.c src/data/mtx.c src/data/mtxhead.c src/data/murmur3.c src/data/npy.c src/data/npy_write.c src/data/npyvalue.c src/data/npz.c src/data/npzbuild.c
  src/data/npzcoo.c src/data/npzcsr.c src/data/npzfile.c src/data/number.c src/data/id_pairs.c src/data/data_parts.c src/data/place.c src/data/rating_names.c src/data/ratings.c src/data/raw_input.c
  src/data/repair.c src/data/row_files.c src/data/row_order.c src/data/row_reader.c src/data/row_scan.c src/data/texts.c src/data/smtx.c src/data/spill.c src/data/split.c src/data/summary.c src/data/svmblock.c src/data/textformats.c
  src/data/to_device.c src/data/triplets.c src/data/used_columns.c src/data/vwblock.c src/data/validation.c src/data/validation_fix.c src/data/copy_rows.c src/data/csvtfidf.c src/data/words.c src/data/wordset.c
  src/model/architecture_check.c src/model/score_map.c src/model/score_map_file.c src/model/autoencoder.c src/model/core.c src/model/ffm.c src/model/fm.c src/model/gcn.c src/model/init.c src/model/label_names.c src/model/layer_names.c
  src/model/linear.c src/model/model.c src/model/model_fields.c src/model/model_columns.c src/model/model_notes.c src/model/model_load.c src/model/model_save.c src/model/model_graph.c src/model/models.c src/model/parameter_optims.c src/model/parameters_file.c src/model/perceptron.c
  src/model/ranking.c src/model/rate_schedule.c src/model/rate_factor.c src/model/regular.c src/model/safetensors.c src/model/solver_text.c
  src/train/checkpoint.c src/train/checkpoint_file.c src/train/checkpoint_read.c src/train/checkpoint_sum.c src/train/constant_row.c
  src/train/passes.c src/train/run_settings.c src/train/trained_model.c src/train/usual_loss.c
  src/train/adjacency.c src/train/apply.c src/train/auto.c src/train/auto_select.c src/train/c_search.c src/train/fit_score_map.c src/train/rate_search.c src/train/trial.c src/train/batch_memory.c src/train/coming.c src/train/draw_nodes.c src/train/encode.c src/train/nodes.c src/train/pairs.c src/train/popular_items.c src/train/rank.c src/train/train_pairs.c src/train/train_nodes.c src/train/eval.c src/train/feed.c src/train/lbfgs.c src/train/linear_objective.c src/train/linear_problem.c src/train/loop.c src/train/train_lbfgs.c src/train/compact_columns.c src/train/device_memory.c src/train/measure.c src/train/class_report.c src/train/metrics.c src/train/score_curve.c src/train/row_weights.c
  src/train/problem.c src/train/sparse_network.c src/train/run.c src/train/score.c src/train/shuffle.c src/train/train.c
  src/train/csr_arrays.c src/train/predictor.c src/train/overflow.c src/train/checkpoint_due.c src/train/search_checkpoint.c src/train/scaling.c src/train/curvature.c src/train/rounding.c
  src/train/train_desc.c src/train/train_source.c src/train/start.c src/train/data_columns.c src/train/width.c src/train/kept_state.c src/train/label_units.c)
add_library(sparcl_train_objects OBJECT ${train_sources})
sparcl_common(sparcl_train_objects)
target_link_libraries(sparcl_train_objects PRIVATE
  PkgConfig::LIBARCHIVE PkgConfig::JANSSON Threads::Threads)

add_library(sparcl_train_shared SHARED
  $<TARGET_OBJECTS:sparcl_train_objects> $<TARGET_OBJECTS:sparcl_base>)
add_library(sparcl_train_static STATIC $<TARGET_OBJECTS:sparcl_train_objects>)
target_link_libraries(sparcl_train_shared PUBLIC sparcl_shared
  PRIVATE PkgConfig::LIBARCHIVE PkgConfig::JANSSON Threads::Threads m)
target_link_libraries(sparcl_train_static PUBLIC sparcl_static
  PRIVATE PkgConfig::LIBARCHIVE PkgConfig::JANSSON Threads::Threads m)
set_target_properties(sparcl_train_shared sparcl_train_static PROPERTIES
  OUTPUT_NAME sparcl-train LINKER_LANGUAGE C)
set_target_properties(sparcl_train_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${SPARCL_SOVERSION} EXPORT_NAME train)
set_target_properties(sparcl_train_static PROPERTIES EXPORT_NAME train_static)
add_library(sparcl::train ALIAS sparcl_train_shared)
add_library(sparcl::train_static ALIAS sparcl_train_static)
