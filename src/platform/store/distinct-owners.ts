/**
 * A recursive table expression `owners`: every owner that has rows among these, found by skipping along an index from one
 * owner to the next. A DISTINCT would read every row, and one owner may have a hundred thousand.
 */
export function distinctOwners(rows: string): string {
  return `owners AS (
      SELECT MIN(owner) AS owner FROM ${rows}
      UNION ALL
      SELECT (SELECT MIN(owner) FROM ${rows} AND owner > owners.owner) FROM owners WHERE owners.owner IS NOT NULL
    )`
}
