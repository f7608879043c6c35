/** Detectors also report what they hardly believe themselves: dozens of boxes per image. */
const LEAST_SCORE = 0.3

/** What a detector found, without what is probably not there; its score is from 0 to 1. */
export function likelyDetections<Found>(found: readonly Found[], scoreOf: (one: Found) => number): Found[] {
  return found.filter((one) => scoreOf(one) >= LEAST_SCORE)
}
