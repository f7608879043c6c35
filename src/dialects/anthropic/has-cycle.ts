/** Whether something refers, over however many steps, to itself. */
export function hasCycle(references: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const safe = new Set<string>()
  const visit = (name: string, way: ReadonlySet<string>): boolean => {
    if (way.has(name)) return true
    if (safe.has(name)) return false
    const further = new Set(way).add(name)
    const found = [...(references.get(name) ?? [])].some((next) => visit(next, further))
    safe.add(name)
    return found
  }
  return [...references.keys()].some((name) => visit(name, new Set()))
}
