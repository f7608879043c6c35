/** Where callers reach the API, which is another listener than this page's. The page says it in its head. */
export function apiUrl(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=api-url]')?.content ?? ''
}
