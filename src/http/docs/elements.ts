import { type Html, html, type Value } from './markup.ts'

// HTML elements that the sections use.

export function code(label: string, content: string): Html {
  const caption = label && html`<figcaption>${label}</figcaption>`
  return html`<figure>${caption}<pre tabindex="0"><code>${content}</code></pre></figure>`
}

export function fold(label: string, content: Html): Html {
  return html`<details><summary>${label}</summary>${content}</details>`
}

/** The roles keep it a table for screen readers when a narrow window displays its cells as blocks. */
export function table(heads: string[], rows: Html[]): Html {
  return html`<table role="table"><thead role="rowgroup"><tr role="row">
${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows}</tbody></table>`
}

export function row([head, ...cells]: Value[]): Html {
  const rest = cells.map((cell) => html`<td role="cell">${cell}</td>`)
  return html`<tr role="row"><th role="rowheader" scope="row">${head}</th>${rest}</tr>
`
}

export function nestedRow(content: Value): Html {
  return html`<tr role="row" class="nested"><td role="cell" colspan="3">${content}</td></tr>
`
}
