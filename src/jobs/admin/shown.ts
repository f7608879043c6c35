/** `createdAt: 1794712166490` → `created_at: "2026-11-15T…Z"`. */
export function withIsoTimes(row: object): Record<string, unknown> {
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
