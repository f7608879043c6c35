/** How many cases a test tries: a few under `npm test`, all of them under `npm run soak`. */
export function sample(few: number, all: number): number {
  return process.env.GATEHOUSE_SOAK ? all : few
}

/**
 * `few` of these cases, others for each index, so that a test with two lists tries every case of both, and all pairs under
 * `npm run soak`.
 */
export function someOf<Case>(cases: readonly Case[], index: number, few: number): Case[] {
  const count = sample(Math.min(few, cases.length), cases.length)
  return Array.from({ length: count }, (_, place) => cases[(index * count + place) % cases.length]!)
}
