/** All aliases of an installation, from the file and from the store. */
export const MAX_ALIASES = 5_000
export const MAX_TARGETS = 32
export const MAX_FALLBACKS = 16
export const MAX_NAME_CHARS = 200
export const MAX_RETRIES = 5
export const MAX_WEIGHT = 1_000
