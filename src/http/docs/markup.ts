/** Text that is already HTML. Only text from this folder may become HTML. */
export type Html = { html: string }
export type Value = string | number | false | undefined | Html | readonly Value[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes all values in the template, unless this function created them. */
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
