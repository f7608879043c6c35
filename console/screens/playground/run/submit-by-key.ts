/** On a form whose texts have several lines: Ctrl and Enter, or ⌘ and Enter, send it. */
export function submitByKey(event: KeyboardEvent & { currentTarget: HTMLFormElement }): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}
