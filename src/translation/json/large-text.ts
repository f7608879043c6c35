/** Parsing, converting or writing a longer text takes so long that it gets a turn of the event loop of its own. */
export const LARGE_CHARS = 256 * 1024
