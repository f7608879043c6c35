/** A text of the document, in which `backticks` mark code. Nothing else in it has a meaning. */
export function MarkedText({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
}
