/** What a batch that was handed to a provider holds of limits: their windows, and the name under which the store has them. */
export type Hold = { readonly holder: string; readonly windows: readonly HeldWindow[] }

export type HeldWindow = readonly [limit: string, bucket: string, start: number, amount: number]
