export type HolderKind = 'all' | 'organization' | 'project' | 'user' | 'key' | 'end_user'

/** What people call whom something applies to: behind `key:<id>` and the like, the name if it is known. */
export function holderName(appliesTo: string, nameOf: (kind: HolderKind, id: string) => string | undefined): string {
  if (appliesTo === 'all') return 'everyone'
  const { kind, id } = splitHolder(appliesTo)
  return `${kind.replace('_', ' ')} ${nameOf(kind, id) ?? id}`
}

export function splitHolder(appliesTo: string): { kind: HolderKind; id: string } {
  const [kind, ...rest] = appliesTo.split(':') as [HolderKind, ...string[]]
  return { kind, id: rest.join(':') }
}
