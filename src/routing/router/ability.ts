/** What a request may need of a model and a model may lack. The order is the order in which a lack is reported. */
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

/** One bit per ability: 1,500 candidates are compared with a request in microseconds. */
export function maskOf(abilities: Iterable<Ability>): number {
  let mask = 0
  for (const ability of abilities) mask |= 1 << ABILITIES.indexOf(ability)
  return mask
}

export function firstOf(mask: number): Ability {
  return ABILITIES[31 - Math.clz32(mask & -mask)]!
}
