import { useEffect, useRef } from 'preact/hooks'

let isFirst = true

/** After a change of pages the title gets the focus, so that a screen reader says where the person is. */
export function useHeading(title: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Gatehouse API`
    if (!isFirst) {
      scrollTo(0, 0)
      heading.current?.focus({ preventScroll: true })
    }
    isFirst = false
  }, [title])
  return heading
}
