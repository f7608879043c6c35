/** A command for the admin API that works as soon as the variable has the admin key. */
export function adminCommand(path: string, body: object): string {
  const text = JSON.stringify(body).replaceAll("'", "'\\''")
  return `curl ${location.origin}${path} \\
  -H "Authorization: Bearer $GATEHOUSE_ADMIN_KEY" -H 'Content-Type: application/json' \\
  -d '${text}'`
}
