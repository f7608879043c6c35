/** What each file or folder imports. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** Circles among files or folders that import each other: one for each file or folder at which one is found. */
export function circlesOf(imports: Imports): string[] {
  const done = new Set<string>()
  const visit = (name: string, way: readonly string[]): string | undefined => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name].join(' → ')
    if (done.has(name)) return undefined
    for (const next of imports.get(name) ?? []) {
      const circle = visit(next, [...way, name])
      if (circle) return circle
    }
    done.add(name)
    return undefined
  }
  return [...imports.keys()].flatMap((name) => visit(name, []) ?? [])
}
