export const NODE_OPTIONS: readonly string[]
