/**
 * Whether a name refers to itself, directly or indirectly. Every reference is followed once, and without recursion: a
 * schema may have tens of thousands of definitions, each referring to the next.
 */
export function hasCycle(references: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const acyclic = new Set<string>()
  for (const name of references.keys()) if (!acyclic.has(name) && leadsBack(name, references, acyclic)) return true
  return false
}

type Step = { name: string; next: Iterator<string> }

/** A depth-first search from a name. `acyclic` are the names found so far from which no path leads back. */
function leadsBack(first: string, references: ReadonlyMap<string, ReadonlySet<string>>, acyclic: Set<string>): boolean {
  const stepFrom = (name: string): Step => ({ name, next: (references.get(name) ?? new Set<string>()).values() })
  const way: Step[] = [stepFrom(first)]
  const entered = new Set([first])
  for (let step = way.at(-1); step; step = way.at(-1)) {
    const { value, done } = step.next.next()
    if (done) {
      acyclic.add(step.name)
      entered.delete(step.name)
      way.pop()
    } else if (entered.has(value)) return true
    else if (!acyclic.has(value)) {
      entered.add(value)
      way.push(stepFrom(value))
    }
  }
  return false
}
