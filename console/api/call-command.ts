/** A command that works as soon as the variable has a key. `flags` are those of curl that the answer needs. */
export function callCommand(url: string, body: string, flags = ''): string {
  return `curl ${flags && `${flags} `}${url} \\
  -H "Authorization: Bearer $GATEHOUSE_API_KEY" -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`
}
