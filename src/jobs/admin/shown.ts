/** `createdAt: 1794712166490` → `created_at: "2026-11-15T…Z"`. */
function withIsoTimes(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      const isTime = key.endsWith('At') && typeof value === 'number'
      return [
        key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        isTime ? new Date(value).toISOString() : value,
      ]
    }),
  )
}

type OfOwner = {
  organization: string | null
  project: string | null
  ownerKind: string
  ownerId: string
  owner?: string
}

/** A job or a webhook: of the record of its owner, the id is shown. */
export function shownOf(owned: OfOwner): Record<string, unknown> {
  const { organization: _, project: __, ownerKind: ___, ownerId, owner: ____, ...row } = owned
  return withIsoTimes({ ...row, owner: ownerId })
}
