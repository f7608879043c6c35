/** SQL over the columns of a line: whether a call failed, also one whose answer broke off after its status was sent. */
export const FAILED = 'status >= 400 OR code IS NOT NULL'
