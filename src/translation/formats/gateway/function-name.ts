const MAX_CHARS = 64
const HASH_CHARS = 8
/** Behind such a name of a server, nothing says where the name of the tool begins. */
const AMBIGUOUS = /__|_$/

/**
 * The function that stands for a tool of an MCP server: every provider accepts these letters and this length. Names that have to be
 * changed get a digest, so that two tools never share a function.
 */
export function mcpFunctionName(server: string, tool: string): string {
  const whole = `${server}__${tool}`
  const plain = whole.replace(/[^\w-]/g, '_')
  if (plain === whole && whole.length <= MAX_CHARS && !AMBIGUOUS.test(server)) return whole
  return `${plain.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${digestOf(`${server}/${tool}`)}`
}

/** FNV-1a. The names are those of the operator's servers, so nothing is gained by finding two with the same digest. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(HASH_CHARS, '0')
}
