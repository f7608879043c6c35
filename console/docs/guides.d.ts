/** Made from docs/ when the page is bundled (src/http/console/build-bundle.ts). */
declare module 'virtual:guides' {
  export const GUIDES: readonly import('./read/guides.ts').GuideSource[]
}
