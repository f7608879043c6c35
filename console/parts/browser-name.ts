/** The first that fits: browsers name those before them, too. */
const BROWSERS = [
  [/Edg\w*\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom\w*\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

/** `Firefox on Linux` for what a browser says of itself. What is no browser keeps its own words. */
export function browserName(agent: string | null): string {
  if (!agent) return 'unknown browser'
  const [browser, system] = [BROWSERS, SYSTEMS].map((known) => known.find(([pattern]) => pattern.test(agent))?.[1])
  return browser ? browser + (system ? ` on ${system}` : '') : agent
}
