/* prediction.cpp: evaluates and applies models. */
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include <sparcl/apply.h>
#include <sparcl/model.h>

#include "results.h"
#include "sparcl/apply.h"

Numbers describe(const sparcl_metrics &m) {
    Numbers found;
    found["rows"] = (double)m.rows;
    found["loss"] = m.loss;
    found["objective"] = m.objective;
    found["accuracy"] = m.accuracy;
    found["f1"] = m.f1;
    found["auc"] = m.auc;
    found["average_precision"] = m.average_precision;
    found["calibration_error"] = m.calibration_error;
    found["rmse"] = m.rmse;
    found["mae"] = m.mae;
    found["best_constant_loss"] = m.best_constant_loss;
    found["best_constant_accuracy"] = m.best_constant_accuracy;
    found["best_constant_rmse"] = m.best_constant_rmse;
    found["not_finite"] = (double)m.not_finite;
    found["unknown_labels"] = (double)m.unknown_labels;
    return found;
}

static Numbers evaluate(Context &context, const Model &model, const Data &data) {
    sparcl_metrics m{};
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_eval(ctx, model.at, data.at, &m, error);
    });
    return describe(m);
}

/* Metrics by class, of as many labels as the model has; a threshold of NaN is none. The confusion
 * matrix is None where there are too many. */
static nb::typed<nb::dict, nb::str, nb::any> class_report(Context &context, const Model &model,
                                                          const Data &data, double threshold) {
    sparcl_metrics m{};
    sparcl_class_report *report = nullptr;
    nb::typed<nb::dict, nb::str, nb::any> found;
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_eval_threshold(ctx, model.at, data.at, threshold, &m, &report, error);
    });
    found["metrics"] = describe(m);
    if (!report) return found;
    const auto count = (size_t)report->classes;
    const auto list = [](const double *from, size_t size) {
        return std::vector<double>(from, from + size);
    };
    found["rows"] = list(report->rows, count);
    found["predicted"] = list(report->predicted, count);
    found["right"] = list(report->right, count);
    if (report->confusion) found["confusion"] = list(report->confusion, count * count);
    sparcl_class_report_free(report);
    return found;
}

static void calibrate(Context &context, Model &model, const Data &data, const std::string &method) {
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_model_calibrate(ctx, model.at, data.at, method.c_str(), error);
    });
}

static Numbers evaluate_ranking(Context &context, const Model &model, const Data &known,
                                const Data &test, int64_t k) {
    sparcl_rank_metrics m{};
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_rank_eval(ctx, model.at, known.at, test.at, k, &m, error);
    });
    Numbers found;
    found["users"] = (double)m.users;
    found["pairs"] = (double)m.pairs;
    found["known_pairs"] = (double)m.known_pairs;
    found["recall"] = m.recall;
    found["precision"] = m.precision;
    found["ndcg"] = m.ndcg;
    found["hit_rate"] = m.hit_rate;
    found["popular_recall"] = m.popular_recall;
    found["popular_ndcg"] = m.popular_ndcg;
    return found;
}

static Data *encode(Context &context, const Model &model, const Data &data) {
    auto made = std::make_unique<Data>();
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_encode(ctx, model.at, data.at, &made->at, error);
    });
    return made.release();
}

static void recommend(Context &context, const Model &model, const Data &known, int64_t k,
                      nb::handle items, nb::handle scores) {
    const Result to_items(items), to_scores(scores);
    const int64_t size = sparcl_data_get_info(known.at)->rows * k;
    int64_t *const item = to_items.at<int64_t>(size);
    float *const score = to_scores.at<float>(size);
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_recommend(ctx, model.at, known.at, k, item, score, error);
    });
}

/* ---- a model on a device -------------------------------------------------------------------- */

struct Predictor {
    ContextRef context;
    nb::object model_object; /* keeps the model */
    sparcl_predictor *predictor = nullptr;

    Predictor(ContextRef of, nb::object of_model)
        : context(std::move(of)), model_object(std::move(of_model)) {
        const Model *const model = nb::cast<Model *>(model_object);
        run_with(*context, [&](sparcl_ctx *ctx, sparcl_error *error) {
            return sparcl_model_open(ctx, &predictor, model->at, error);
        });
    }
    ~Predictor() {
        if (predictor) context->release([&] { sparcl_predictor_free(predictor); });
    }
    Predictor(const Predictor &) = delete;
};

/* Call what predicts some rows, with where its results are written, or NULL. */
template <class F>
static void predict_rows(Predictor &p, int64_t rows, nb::handle label, nb::handle probability,
                         nb::handle scores, F &&call) {
    const Result to_label(label), to_probability(probability), to_scores(scores);
    const auto *const model = nb::cast<Model *>(p.model_object);
    double *const at_label = to_label.at<double>(rows);
    float *const at_probability = to_probability.at<float>(rows);
    float *const at_scores = to_scores.at<float>(rows * sparcl_model_get_info(model->at)->outputs);
    run_with(*p.context, [&](sparcl_ctx *, sparcl_error *error) {
        return call(at_label, at_probability, at_scores, error);
    });
}

/* The rows of a matrix in CSR format, where they are. */
static void predict(Predictor &p, int64_t rows, int offset_type, nb::handle offsets, int index_type,
                    nb::handle indices, nb::handle values, nb::handle label, nb::handle probability,
                    nb::handle scores) {
    const HostMemory offset(offsets, false), index(indices, false), value(values, false);
    sparcl_csr_arrays arrays{};
    arrays.rows = rows;
    arrays.offset_type = (sparcl_itype)offset_type;
    arrays.offsets = offset.buffer.buf;
    arrays.index_type = (sparcl_itype)index_type;
    arrays.indices = index.buffer.buf;
    arrays.values = static_cast<const float *>(value.buffer.buf);
    predict_rows(p, rows, label, probability, scores,
                 [&](auto... to) { return sparcl_model_predict(p.predictor, &arrays, to...); });
}

static void predict_data(Predictor &p, const Data &data, nb::handle label, nb::handle probability,
                         nb::handle scores) {
    const int64_t rows = sparcl_data_get_info(data.at)->rows;
    predict_rows(p, rows, label, probability, scores, [&](auto... to) {
        return sparcl_model_predict_data(p.predictor, data.at, to...);
    });
}

void bind_prediction(nb::module_ &m) {
    m.def("evaluate", evaluate, nb::arg("context"), nb::arg("model"), nb::arg("data"));
    m.def("class_report", class_report, nb::arg("context"), nb::arg("model"), nb::arg("data"),
          nb::arg("threshold"));
    m.def("calibrate", calibrate, nb::arg("context"), nb::arg("model"), nb::arg("data"),
          nb::arg("method"));
    m.def("evaluate_ranking", evaluate_ranking, nb::arg("context"), nb::arg("model"),
          nb::arg("known"), nb::arg("test"), nb::arg("k"));
    m.def("encode", encode, nb::arg("context"), nb::arg("model"), nb::arg("data"));
    m.def("recommend", recommend, nb::arg("context"), nb::arg("model"), nb::arg("known"),
          nb::arg("k"), nb::arg("items"), nb::arg("scores").none());
    nb::class_<Predictor>(m, "Predictor", "A model on a device.")
        .def(nb::init<ContextRef, nb::object>(), nb::arg("context"), nb::arg("model"))
        .def("predict", predict, nb::arg("rows"), nb::arg("offset_type"), nb::arg("offsets"),
             nb::arg("index_type"), nb::arg("indices"), nb::arg("values"), nb::arg("label").none(),
             nb::arg("probability").none(), nb::arg("scores").none())
        .def("predict_data", predict_data, nb::arg("data"), nb::arg("label").none(),
             nb::arg("probability").none(), nb::arg("scores").none());
}
