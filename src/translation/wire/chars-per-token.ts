/** English text has about four characters per token. This is good enough wherever a count is marked as an estimate. */
export const CHARS_PER_TOKEN = 4
