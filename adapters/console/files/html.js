// Preact with htm: html`<p>${text}</p>` makes what Preact shows. A text in it stays a text.
import { Fragment, h, render } from './vendor/preact.js'
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from './vendor/hooks.js'
import htm from './vendor/htm.js'

export const html = htm.bind(h)
export { Fragment, render, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState }
