/* states.cl: the states of a table before its first step.
 *
 * Defines  fill_state
 * Range    FOR_EACH
 */

KERNEL fill_state(__global STORED *state, long n, REAL x) {
    FOR_EACH(i, n) WRITE_AT(state, i, x);
}
