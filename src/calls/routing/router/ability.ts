/** What a request may need and a model may lack. Missing abilities are reported in this order. */
export const ABILITIES = [
  'vision',
  'files',
  'audio_input',
  'audio_output',
  'image_output',
  'tools',
  'json_schema',
  'json_schema_with_tools',
  'web_search',
  'streaming',
] as const
export type Ability = (typeof ABILITIES)[number]

/** One bit per ability, so that 1,500 candidates can be compared with a request in microseconds. */
export function maskOf(abilities: Iterable<Ability>): number {
  let mask = 0
  for (const ability of abilities) mask |= 1 << ABILITIES.indexOf(ability)
  return mask
}

export function firstOf(mask: number): Ability {
  return ABILITIES[31 - Math.clz32(mask & -mask)]!
}
