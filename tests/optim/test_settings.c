/* test_settings.c: the table of settings, and optimizers as text; no device. */
#include "op_test.h"

#include "optim_settings.h"
#include "sparcl/optim_text.h"

static bool has_setting(const char *name, size_t length) {
    const sparcl_setting *s;
    for (int i = 0; (s = sparcl_optim_setting(i)); ++i)
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0) return true;
    return false;
}

static void every_rule_has_a_name_a_formula_and_settings(void **state) {
    (void)state;
    for (int r = 0; r < SPARCL_RULES; ++r) {
        sparcl_rule back = SPARCL_RULE_SGD;
        assert_int_equal(sparcl_rule_parse(&back, sparcl_rule_name((sparcl_rule)r), NULL), 0);
        assert_int_equal(back, r);
        assert_true(strlen(sparcl_rule_formula((sparcl_rule)r)) > 5);
        assert_true(sparcl_rule_uses((sparcl_rule)r, "lr"));
        assert_true(sparcl_rule_uses((sparcl_rule)r, "weight_decay"));
        assert_false(sparcl_rule_uses((sparcl_rule)r, "rule"));
    }
    assert_false(sparcl_rule_uses(SPARCL_RULE_SGD, "momentum"));
    assert_true(sparcl_rule_uses(SPARCL_RULE_MOMENTUM, "momentum"));
    assert_true(sparcl_rule_uses(SPARCL_RULE_MOMENTUM, "nesterov"));
    assert_false(sparcl_rule_uses(SPARCL_RULE_ADAM, "nesterov"));
    assert_true(sparcl_rule_uses(SPARCL_RULE_ADAM, "no_bias_correction"));
    assert_false(sparcl_rule_uses(SPARCL_RULE_ADAM, "beta"));
    assert_false(sparcl_rule_uses((sparcl_rule)-1, "lr"));
    assert_true(sparcl_rule_catches_up(SPARCL_RULE_MOMENTUM));
    assert_false(sparcl_rule_catches_up((sparcl_rule)-1));
    assert_null(sparcl_rule_formula((sparcl_rule)-1));
    assert_null(sparcl_optim_setting(-1));
    assert_null(sparcl_optim_alias(-1));
}

/* Every default of every system, and the settings of an optimizer that differ from all of them. */
static void text_reads_back_as_it_was_written(void **state) {
    char text[SPARCL_OPTIM_TEXT], again[SPARCL_OPTIM_TEXT];
    (void)state;
    for (int r = 0; r < SPARCL_RULES; ++r)
        for (int p = 0; p < SPARCL_PRESETS; ++p)
            for (int changed = 0; changed < 2; ++changed) {
                sparcl_optim o, back;
                if (sparcl_optim_preset(&o, (sparcl_rule)r, (sparcl_preset)p)) continue;
                if (changed) {
                    o.lr = 1.0 / 3;
                    o.momentum.nesterov = o.clip.stored = 1;
                    o.clip.value = 0.1;
                    o.decay.kind = SPARCL_DECAY_DECOUPLED;
                    o.duplicates = SPARCL_DUPLICATES_ERROR;
                    o.epsilon_place = SPARCL_EPSILON_CORRECTED;
                    o.decay.weight = 5e-324;
                    o.counter.halflife = 1.0 / 7;
                    o.counter.mode = SPARCL_COUNTER_COWCLIP;
                    o.rescale = -1e300;
                }
                sparcl_optim_print(&o, text);
                assert_int_equal(sparcl_optim_parse(&back, text, NULL), SPARCL_OK);
                sparcl_optim_print(&back, again);
                assert_string_equal(text, again);
                assert_true(back.rule == o.rule && back.preset == o.preset && back.lr == o.lr);
                assert_true(back.decay.weight == o.decay.weight && back.rescale == o.rescale);
                assert_true(back.clip.value == o.clip.value && back.epsilon == o.epsilon);
                assert_true(back.duplicates == o.duplicates && back.moves == o.moves);
                assert_int_equal(back.decay.kind, o.decay.kind);
                if (sparcl_rule_uses(o.rule, "nesterov"))
                    assert_int_equal(back.momentum.nesterov, o.momentum.nesterov);
            }
    sparcl_optim_print(&(sparcl_optim){.rescale = 0}, text);
    assert_string_equal(text, "");
}

/* Each number that has a range with one of the longest texts in it. */
static void a_text_with_every_setting_of_a_rule_fits(void **state) {
    static const char *const longest[] = {"0.00012345678901234567", "-0.00012345678901234567"};
    char text[SPARCL_OPTIM_TEXT], again[SPARCL_OPTIM_TEXT];
    const sparcl_setting *s;
    sparcl_optim o, back;
    (void)state;
    sparcl_optim_init(&o, SPARCL_RULE_ROWWISE_ADAGRAD_COUNTER);
    for (int i = 0; (s = sparcl_optim_setting(i)); ++i)
        if (s->type == SPARCL_SETTING_REAL && sparcl_rule_uses(o.rule, s->name) &&
            sparcl_optim_set(&o, s->name, longest[0], NULL) != SPARCL_OK)
            assert_int_equal(sparcl_optim_set(&o, s->name, longest[1], NULL), SPARCL_OK);
    sparcl_optim_print(&o, text);
    assert_int_equal(sparcl_optim_parse(&back, text, NULL), SPARCL_OK);
    sparcl_optim_print(&back, again);
    assert_string_equal(text, again);
    assert_true(strlen(text) > SPARCL_OPTIM_TEXT / 5);
    assert_true(back.max_norm == o.max_norm && back.adagrad.initial_accumulator == o.max_norm);
}

/* A field that the rule does not use changes nothing, and is no part of its text. */
static void settings_that_a_rule_does_not_have_are_refused(void **state) {
    const sparcl_optim with_momentum = OPTIM(.lr = 0.1, .momentum.factor = 0.9);
    char text[SPARCL_OPTIM_TEXT];
    const sparcl_setting *s;
    (void)state;
    for (int r = 0; r < SPARCL_RULES; ++r)
        for (int i = 0; (s = sparcl_optim_setting(i)); ++i) {
            sparcl_optim o, kept;
            sparcl_error error = {0};
            char value[64];
            sparcl_optim_init(&o, (sparcl_rule)r);
            sparcl_optim_get(&o, s->name, value, sizeof value);
            kept = o;
            const bool is_used = sparcl_rule_uses(o.rule, s->name);
            assert_int_equal(sparcl_optim_set(&o, s->name, value, &error) == SPARCL_OK, is_used);
            assert_memory_equal(&o, &kept, sizeof o);
            if (is_used) continue;
            assert_non_null(strstr(error.message, s->name));
            assert_non_null(strstr(error.message, sparcl_rule_name(o.rule)));
        }
    sparcl_optim_print(&with_momentum, text);
    assert_string_equal(text, "sgd:lr=0.1");
}

static void texts_have_the_settings_that_differ_from_the_defaults(void **state) {
    static const struct {
        const char *from, *text;
    } cases[] = {
        {"sgd", "sgd"},
        {"adam:lr=0.001,beta1=0.9", "adam"},
        {"adam:preset=torch", "adam"},
        {"sgd:preset=torch", "sgd:duplicates=separate"},
        {"adam:lr=0.5,preset=keras3", "adam:preset=keras3,lr=0.5"},
        {"adam:preset=keras3", "adam:preset=keras3"},
        {"nesterov:lr=0.25", "momentum:lr=0.25,nesterov=1"},
        {"nesterov:nesterov=0", "momentum"},
        {"adamw", "adam:weight_decay=0.01,decay=decoupled"},
        {"adamw:preset=keras3,weight_decay=0.5",
         "adam:preset=keras3,weight_decay=0.5,decay=decoupled"},
        {"sgd:clip_value=1,clip_value=inf", "sgd"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[SPARCL_OPTIM_TEXT];
        sparcl_optim o;
        assert_int_equal(sparcl_optim_parse(&o, cases[i].from, NULL), SPARCL_OK);
        sparcl_optim_print(&o, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void wrong_texts_are_refused(void **state) {
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "optimizer: expected sgd, momentum, "},
        {"lion2", "found \"lion2\""},
        {"sdg", "rowwise_adagrad_counter, nesterov or adamw, found \"sdg\""},
        {"sgd:momentum=0.9", "sgd has no setting momentum; use \"momentum:momentum=0.9\""},
        {"sgd:momentum=0.9", "settings of sgd: lr, weight_decay, decay, "},
        {"sgd:nesterov=1", "use \"momentum:nesterov=1\" (rules with it: momentum)"},
        {"adam:beta=0.9", "adam has no setting beta; use \"ftrl:beta=0.9\""},
        {"nesterov:beta1=0.9", "momentum has no setting beta1; use \"adam:beta1=0.9\""},
        {"adam:lr", "expected KEY=VALUE, found \"lr\""},
        {"adam:lr=0.1,", "expected KEY=VALUE, found \"\""},
        {"adam:,lr=0.1", "expected KEY=VALUE, found \"\""},
        {"adam:step=3", "there is no setting \"step\""},
        {"adam:last_steps=3", "there is no setting \"last_steps\""},
        {"adam:beta1=1", "beta1: expected a number from 0 to less than 1, found \"1\""},
        {"adam:beta2=-0.1", "beta2: expected a number from 0 to less than 1"},
        {"adam:epsilon=", "epsilon: expected a finite number from 0, found \"\""},
        {"adam:lr=0x1", "lr: expected a finite number from 0, found \"0x1\""},
        {"adam:lr=inf", "lr: expected a finite number from 0, found \"inf\""},
        {"ftrl:lr_power=1", "lr_power: expected a finite number that is not positive"},
        {"adam:rescale=0", "rescale: expected a finite number that is not 0"},
        {"adam:clip_value=-1", "clip_value: expected a number from 0, or inf, found \"-1\""},
        {"adam:decay=all", "decay: expected coupled, decoupled, global or inside, found \"all\""},
        {"adam:no_bias_correction=2", "no_bias_correction: expected 0 or 1, found \"2\""},
        {"adam:preset=pytorch", "preset: expected torch, mxnet, "},
        {"adam:preset=dgl", "preset: dgl has no adam"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sparcl_optim o = OPTIM(.lr = 7), kept = o;
        sparcl_error error = {0};
        assert_int_equal(sparcl_optim_parse(&o, cases[i].text, &error), SPARCL_E_ARG);
        if (!strstr(error.message, cases[i].part)) fail_msg("%s", error.message);
        assert_memory_equal(&o, &kept, sizeof o);
    }
    assert_int_equal(sparcl_optim_parse(NULL, "sgd", NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_optim_set(NULL, "lr", "1", NULL), SPARCL_E_ARG);
}

static void values_are_read_as_they_are_written(void **state) {
    const sparcl_setting *s;
    sparcl_optim o = OPTIM(.lr = 0.1, .adam.beta1 = 0.3, .decay.kind = SPARCL_DECAY_GLOBAL);
    char text[64], again[64];
    (void)state;
    for (int i = 0; (s = sparcl_optim_setting(i)); ++i) {
        assert_true(has_setting(s->name, strlen(s->name)) && strlen(s->expected) > 5);
        sparcl_optim_get(&o, s->name, text, sizeof text);
        if (!sparcl_rule_uses(o.rule, s->name)) continue;
        assert_int_equal(sparcl_optim_set(&o, s->name, text, NULL), SPARCL_OK);
        sparcl_optim_get(&o, s->name, again, sizeof again);
        assert_string_equal(text, again);
    }
    sparcl_optim_get(&o, "decay", text, sizeof text);
    assert_string_equal(text, "global");
    sparcl_optim_get(&o, "decay", text, 4);
    assert_string_equal(text, "glo");
    sparcl_optim_get(&o, "no such", text, sizeof text);
    assert_string_equal(text, "");
    o.adam.beta1 = 2;
    sparcl_optim_get(&o, "beta1", text, sizeof text);
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_a_name_a_formula_and_settings),
        cmocka_unit_test(text_reads_back_as_it_was_written),
        cmocka_unit_test(a_text_with_every_setting_of_a_rule_fits),
        cmocka_unit_test(settings_that_a_rule_does_not_have_are_refused),
        cmocka_unit_test(texts_have_the_settings_that_differ_from_the_defaults),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(values_are_read_as_they_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
