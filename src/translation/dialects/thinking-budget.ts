// A cap of the answer covers reasoning and answer together, so a thinking budget has to stay below it.

/**
 * The budget that fits below the cap: a budget that does not is lowered, so that half of the cap is left for the answer.
 * Undefined if the cap is too low for the smallest budget that the model accepts: then the model must not think.
 */
export function budgetBelow(cap: number | undefined, budget: number, minTokens: number): number | undefined {
  if (cap === undefined || budget < cap) return budget
  return minTokens < cap ? Math.max(minTokens, Math.floor(cap / 2)) : undefined
}

export const NO_ROOM_TO_THINK = 'the maximum answer length is too low for thinking, which is turned off'

export function loweredTo(budget: number): string {
  return `the maximum answer length leaves a budget of ${budget} tokens`
}
