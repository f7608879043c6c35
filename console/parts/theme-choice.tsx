import { useState } from 'preact/hooks'

const CHOICES = { '': 'System', light: 'Light', dark: 'Dark' }

/** `theme.ts` reads the choice before the next page is painted. */
export function ThemeChoice() {
  const [chosen, setChosen] = useState(document.documentElement.dataset.theme ?? '')
  const choose = (theme: string) => {
    localStorage.setItem('theme', theme)
    if (theme === '') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    setChosen(theme)
  }
  return (
    <label class="inline">
      Theme
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {Object.entries(CHOICES).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}
