export function h(type: any, props?: any, ...children: any[]): any
export function render(what: any, into: Element): void
export const Fragment: any
export const options: { debounceRendering?: (draw: () => void) => void }
