/** How much of a file's beginning is needed to detect its type. */
export const HEAD_BYTES = 64 * 1024
