/* states.cl: the states of a table before its first step.
 *
 * Defines  fill_state
 * Range    FOR_EACH
 */

KERNEL fill_state(__global REAL *state, long n, REAL x) {
    FOR_EACH(i, n) state[i] = x;
}
