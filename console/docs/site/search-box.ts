import { guideAt, type Section } from '../read/guides.ts'
import { search, sectionEntry } from '../read/search.ts'
import { isSearchKey, moveFocus, resultsText } from '../read/search-keys.ts'

// The search of the static site. Pages work without this script: it adds the field. What it searches is a script as well, loaded
// when a reader uses the field, because a page that is opened from the disk may fetch nothing.

declare global {
  var gatehouseSections: Section[] | undefined
}

const contents = document.querySelector('.contents')!
const [area, box, status, list] = [make('search'), make('input'), make('p'), make('ul')]
area.className = 'docs-search'
area.append(labelled(box), status)
box.type = 'search'
box.placeholder = 'Search  ( / )'
status.className = 'faint'
status.setAttribute('role', 'status')
list.className = 'found'
contents.prepend(area)

box.addEventListener('focus', () => void sections().then(show), { once: true })
box.addEventListener('input', show)
area.addEventListener('keydown', onKeyDown)
addEventListener('keydown', (event) => {
  if (!isSearchKey(event)) return
  event.preventDefault()
  box.focus()
})

let loading: Promise<void> | undefined
function sections(): Promise<void> {
  loading ??= new Promise((resolve) => {
    const script = make('script')
    script.src = 'search-index.js'
    script.addEventListener('load', () => resolve())
    document.head.append(script)
  })
  return loading
}

function show(): void {
  const query = box.value
  const isEmpty = query.trim() === ''
  contents.querySelector('nav')!.hidden = !isEmpty
  const found = isEmpty ? [] : search((globalThis.gatehouseSections ?? []).map(sectionEntry), query)
  status.textContent = isEmpty ? '' : resultsText(found.length, query)
  list.replaceChildren(...found.flatMap((one) => ('section' in one ? [itemOf(one.section)] : [])))
  // The list takes the place of the contents.
  if (isEmpty) list.remove()
  else area.append(list)
}

function itemOf({ place, title, heading }: Section): HTMLElement {
  const { id, heading: part } = guideAt(place)!
  const [item, link, kind, name] = [make('li'), make('a'), make('span'), make('span')]
  link.href = `${id}.html${part && `#${part}`}`
  kind.className = 'method'
  kind.textContent = id === 'api' || id === 'admin-api' ? 'API' : 'guide'
  name.textContent = heading || title
  if (heading) name.append(Object.assign(make('small'), { textContent: title }))
  link.append(kind, name)
  item.append(link)
  return item
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    box.value = ''
    show()
  }
  if (event.key === 'Enter' && event.target === box) list.querySelector('a')?.click()
  moveFocus(event, box)
}

function labelled(field: HTMLElement): HTMLElement {
  const [label, text] = [make('label'), make('span')]
  text.className = 'sr-only'
  text.textContent = 'Search the guides and the API'
  label.append(text, field)
  return label
}

function make<Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] {
  return document.createElement(name)
}
