// Tables and code spans of the generated pages.

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((cells) => cells.map(escaped))]
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`
}

export function list(names: readonly string[]): string {
  return names.map(code).join(', ')
}

export function code(text: string): string {
  return `\`${text}\``
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
