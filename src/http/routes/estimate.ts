/** The header that marks counts of tokens that the gateway estimated itself. */
export const ESTIMATE = 'x-gatehouse-estimate'
