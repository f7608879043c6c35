/** Text that is HTML already. Only what this folder writes itself may become one. */
export type Html = { html: string }
export type Value = string | number | false | undefined | Html | readonly Value[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Whatever is put into the template is escaped, unless this function made it. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { html: String.raw({ raw: strings }, ...values.map(written)) }
}

/** Text in which `backticks` mark code. */
export function text(content: string): Value {
  return content.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
}

export function joined(parts: Html[], separator: string): Html {
  return { html: parts.map(({ html }) => html).join(separator) }
}

function written(value: Value): string {
  if (value === false || value === undefined) return ''
  if (typeof value === 'object') return 'html' in value ? value.html : value.map(written).join('')
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
