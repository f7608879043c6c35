// The keys of both searches: of the docs page, and of the static site.

/** `/` leads to the search, unless the reader types into a field. */
export function isSearchKey(event: KeyboardEvent): boolean {
  const { target } = event
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select')
  return event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
}

/** Arrows lead through the field and the results below it. */
export function moveFocus(event: KeyboardEvent, box: HTMLInputElement): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const links = box.closest('search')!.querySelectorAll<HTMLElement>('.found a')
  const stops = [box, ...links]
  const at = stops.indexOf(document.activeElement as HTMLInputElement)
  stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus()
}

/** What is said about the number of results. */
export function resultsText(count: number, query: string): string {
  if (count === 0) return `No results for “${query.trim()}”`
  return count === 1 ? '1 result' : `${count} results`
}
