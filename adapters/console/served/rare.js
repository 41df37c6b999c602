import{$b as Qt,Aa as kt,Ab as ke,B as he,Ba as ee,Bb as xe,C as Ke,Ca as S,Cb as oe,Da as xt,E as W,Ea as q,Eb as Se,Fb as Oe,Ga as le,Gb as _e,Ha as F,Hb as Te,I as t,Ia as St,Ib as $e,J as X,Ja as Ot,Jb as qe,Ka as ye,Kb as Fe,L as y,Lb as Ce,M as yt,Mb as De,Nb as Lt,Ob as Wt,Pb as Mt,Qb as Nt,Ra as N,Sb as Bt,V as M,Vb as Kt,W as J,Wa as we,Wb as zt,X as wt,Xb as ce,Y as ae,Yb as Gt,Z as v,Za as _,_a as T,_b as Jt,ac as Re,bb as te,bc as Ue,c as h,cb as _t,cc as Ut,d as L,db as k,dc as Os,e as ut,ea as be,f as V,fa as gt,fb as Tt,ga as P,gb as qt,gc as Ht,h as pe,hb as Ft,i as o,ia as ie,ib as Ct,ic as Ee,jb as Dt,jc as He,k as dt,ka as vt,kb as Rt,kc as Vt,l as ft,lb as Et,lc as Xt,m as C,mb as Pt,n as ue,nb as ze,nc as Yt,ob as At,p as z,pb as ge,q as ht,qb as Ge,rb as It,s as bt,sa as O,sb as Je,t as D,ta as w,tb as jt,u as de,ua as Y,v as fe,vb as Qe,w as G,wa as Z,x,xa as A,xc as Zt,ya as g,yb as ve,zb as se}from"./chunk.js";var Ve=50,_s=()=>o`<${w} title=${t("nav.jobs")}>
  <${we} path="/bulk" label=${t("nav.jobs")} empty=${t("job.none")} row=${e=>o`<${W} class="row job-row" to=${"/jobs/"+e.id} data-row>
    <span class="name">${ge(e)}</span><span class="quiet">${Je(e)}</span><span class="quiet">${v(e.created_at)}</span><//>`} />
<//>`;function Ts({id:e}){let s=g(`/bulk/${e}`),r=ze.use(),n=r?.id===Number(e)?r:s.value;return L(()=>{s.value?.status==="running"&&At(s.value)},[s.value]),o`<${w} title=${n?ge(n):t("nav.jobs")} up="/lines">
    <${S} of=${n?{value:n}:s}>${a=>o`<${qs} job=${a} />
      <p><${W} to="/jobs">${t("job.all")}<//></p>`}<//>
  <//>`}function qs({job:e}){let s=e.status==="running",r=Zt[e.action]||"lines:write";return o`<section class="panel" data-job=${e.status}>
    ${s&&o`<progress role="progressbar" max=${e.matched} value=${e.done} aria-valuenow=${e.done} aria-valuemin="0" aria-valuemax=${e.matched}
      aria-label=${ge(e)} aria-valuetext=${It(e)}></progress>`}
    <p class="glance" role=${s?void 0:"status"}>${Je(e)}</p>
    ${s&&M(r)&&o`<${Fs} job=${e} />`}
    ${!s&&!e.dry_run&&o`<${N} of=${[[t("job.charged"),e.charged!=="0"&&o`<${ye} of=${e.charged} />`],[t("job.left"),e.status==="stopped"&&Ge(e.matched-e.done)],[t("job.began"),v(e.created_at)],[t("job.ended"),e.finished_at&&v(e.finished_at)]].filter(([,n])=>n)} />`}
  </section>
  ${!s&&!e.dry_run&&e.done>0&&o`<${Cs} job=${e} />`}`}function Fs({job:e}){let s=_({name:"stop "+e.id,method:"DELETE",path:"/bulk/"+e.id,title:t("job.stop"),fields:{}});return T(s,()=>ze.set(s.answer)),o`<${F} form=${s} danger submit=${t("job.stop")} onSubmit=${()=>s.send()} />`}function Cs({job:{id:e,refused:s}}){let[r,n]=h(null),[a,i]=h(null),l=()=>{let c=new AbortController,$={},m=s;return i(null),bt(`/bulk/${e}/results`,({line:u,code:b,line_username:d})=>{if(!b)return!0;let f=$[b]||={n:0,lines:[]};return f.n++<Ve&&f.lines.push({line:u,name:d||t("job.line",{id:u})}),--m>0},c.signal).then(()=>n($),u=>{c.signal.aborted||i(u)}),()=>c.abort()};return L(()=>s?l():void 0,[]),o`${s>0&&o`<section class="panel" aria-busy=${!r&&!a}><h2>${t("job.refused",{n:s,count:P(s)})}</h2>
    ${a&&o`<${A} problem=${a} retry=${l} />`}
    ${r&&Object.entries(r).map(([c,{n:$,lines:m}])=>o`<div key=${c} data-why=${c}>
      <p>${Ge($)}: ${jt(c)}</p>
      <ul class="names">${m.map(({line:u,name:b})=>o`<li key=${u} class="name" translate=${!1}>${c==="not-found"?b:o`<${W} to=${"/lines/"+u}>${b}<//>`}</li>`)}${$>Ve&&o`<li class="quiet">${t("job.more",{n:$-Ve})}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${ue}/bulk/${e}/results`} download=${`job-${e}.ndjson`}><${O} name="download" />${t("job.save")}</a></div>`}var es={lines:["line.*"],jobs:["bulk.*"],credits:["reseller.credited","reseller.reclaimed","line.activated","line.extended","balance.*"],accounts:["reseller.*","operator.*"],access:["session.*","token.*","password.*","totp.*"],keys:["key.*","staff.*"],webhooks:["webhook.*"]},ts=["what","mine","line","account"];function Ds(){let{query:e}=D.use(),s=e.get("what")||"",r={type:es[s],account:e.get("mine")?y().id:e.get("account"),line:e.get("line")},{from:n,entries:a,problem:i,reload:l}=Rt(r),c=ts.some(m=>e.get(m)),$=(m,u,b)=>o`
    <select aria-label=${u} value=${e.get(m)||""} onChange=${d=>Ke({[m]:d.target.value})}>
      ${b.map(([d,f])=>o`<option key=${d} value=${d}>${f}</option>`)}
    </select>`;return o`<${w} title=${t("nav.activity")}>
    <div class="filters">
      ${$("what",t("activity.what"),[["",t("activity.all")],...Object.keys(es).map(m=>[m,t("activity."+m)])])}
      ${J.haveBelow()&&$("mine",t("filter.whose"),[["",t("filter.everyone")],["1",t("filter.mine")]])}
      ${c&&o`<button type="button" class="button" onClick=${()=>Ke(Object.fromEntries(ts.map(m=>[m,""])))}>
        <${O} name="x" />${t("filter.clear")}</button>`}
    </div>
    <div aria-live="polite">
      ${a.length>0&&o`<ul class="rows" aria-label=${t("activity.new")}>${a.map(m=>o`<li key=${m.id}>${Qe(m)}</li>`)}</ul>`}
    </div>
    ${n===null&&i&&o`<${A} problem=${i} retry=${l} />`}
    ${n!==null&&o`<${we} path="/events" query=${{...r,order:"desc"}} row=${m=>m.seq>n?null:Qe(m)}
      label=${t("nav.activity")} lasting empty=${t(c?"activity.none-such":"activity.none")} />`}
  <//>`}var Rs=10,ss=80;function Es(){let{query:e}=D.use();return e.get("do")==="create"?o`<${Is} />`:o`<${Ps} />`}var Ps=()=>o`<${ve} path="/webhooks" title=${t("nav.webhooks")} meaning=${t("webhook.meaning")} add=${t("webhook.new")} most=${Rs}
  full=${t("problem.too-many-webhooks")} empty=${t("webhook.none")} row=${e=>o`<${As} webhook=${e} />`} />`,As=({webhook:e})=>o`<${W} class="row webhook" to=${"/webhooks/"+e.id} data-row>
  <span class="name">${e.url.length>ss?e.url.slice(0,ss-1)+"…":e.url}${e.description&&o`<span class="notes quiet">${e.description}</span>`}</span>
  <${Te} webhook=${e} />
  <span class="quiet">${Oe(e)} · ${_e(e)}</span>
  ${!e.enabled&&o`<span>${$e(e).join(" ")}</span>`}
<//>`;function Is(){let e=_({name:"webhook",method:"POST",path:"/webhooks",title:t("webhook.new"),place:"/webhooks?do=create",fields:qe()}),{fields:s,answer:r}=e;return T(e,()=>{se.set({of:"webhook "+r.id,secret:r.secret}),de("/webhooks/"+r.id,{replace:!0,state:k(t("webhook.created"))})}),o`<${w} title=${t("webhook.new")} up="/webhooks"><section class="panel">
    <${F} form=${e} submit=${t("reseller.create")} ready=${Ce(s)} onSubmit=${()=>e.send(Fe(s))} onClose=${()=>x()}>
      <${De} form=${e} />
    <//>
  </section><//>`}var js=1e3,Ls=25e3,os=10,Pe=e=>e?.find(({event:s})=>s.startsWith("test_")),Ws=e=>e.replace(/.*_/,""),ns=({error:e,cause:s})=>X("delivery.tls."+s)?t("delivery.tls."+s):X("delivery.why."+e)?t("delivery.why."+e):e,rs=({of:{answer:e}})=>e&&o`<span class="text">${t("delivery.answer")} <bdi>${e}</bdi></span>`;function as(e,s){let r=g(`/webhooks/${e}/deliveries`),[n,a]=h(null);L(()=>{if(!s||!n||n.over)return;let l=new AbortController;return i(l.signal),()=>l.abort()},[s,n]);let i=async l=>{for(let c=Date.now()+Ls;Date.now()<c;){if(await Pt(l,js),await Et(l),l.aborted)return;try{let $=await z("GET",`/webhooks/${e}/deliveries`,{signal:l});if(r.set($),n?.test&&Pe($.data)?.event!==n.before)break}catch{}}l.aborted||a(c=>c&&{...c,over:!0})};return{...r,test:n?.test&&Pe(r.value?.data)?.event!==n.before?Pe(r.value?.data):void 0,watched:n,watch:(l=!1)=>a({test:l,before:Pe(r.value?.data)?.event,over:!1})}}function is({of:{test:e,watched:s}}){return s?.test?e?e.error?o`<${Y} tone="bad"><p>${t("webhook.test-failed",{why:ns(e)})} <${rs} of=${e} /></p><//>`:o`<${Y} tone="good"><p>${t("webhook.test-arrived",{status:e.http_status,ms:P(e.duration_ms)})}</p><//>`:o`<${Y} tone=${s.over?"unsure":"plain"}><p>${t(s.over?"webhook.test-late":"webhook.test-sent")}</p><//>`:null}function ls({of:e,enabled:s,refresh:r}){let[n,a]=h(!1);return o`<section class="panel"><h2>${t("delivery.attempts")}</h2>
    <${S} of=${e}>${({data:i})=>o`
      ${i.length?o`<ul class="rows">${i.slice(0,n?i.length:os).map(l=>o`<li key=${l.event+l.attempt+l.at}>
        <${Ns} of=${l} goesOn=${s&&i.find(({event:c})=>c===l.event)===l} /></li>`)}</ul>`:o`<p class="quiet">${t("delivery.none")}</p>`}
      <div class="buttons">
        ${i.length>os&&!n&&o`<button type="button" class="button" onClick=${()=>a(!0)}>${t("home.all")}</button>`}
        <button type="button" class="button" disabled=${e.loading} onClick=${r}><${O} name="rotate-cw" />${t("list.refresh")}</button>
      </div>`}<//>
  </section>`}var Ms=e=>e&&Date.parse(e)>C()&&(Date.parse(e)<C()+6e4?t("delivery.soon"):t("delivery.next",{at:gt(e)}));function Ns({of:e,goesOn:s}){let r=[e.http_status&&t("delivery.status",{status:e.http_status}),P(e.duration_ms)+" ms",e.attempt>1&&t("delivery.attempt",{n:e.attempt}),s&&Ms(e.next_attempt_at)];return o`<div class="row delivery">
    <span class="name">${t(e.event.startsWith("test_")?"delivery.test":"delivery.entry",{n:Ws(e.event)})}</span>
    <${Z} good=${!e.error}>${t(e.error?"delivery.failed":"delivery.arrived")}<//>
    ${e.error&&o`<span>${ns(e)}</span>`}
    <${rs} of=${e} />
    <span class="quiet"><time datetime=${e.at}>${v(e.at)}</time>${r.filter(Boolean).map(n=>" · "+n)}</span>
  </div>`}function Bs({id:e}){let{query:s}=D.use(),r=ee(`/webhooks/${e}`);return xe(),o`<${w} title=${r.value?Se(r.value):t("nav.webhooks")} up="/webhooks">
    <${S} of=${r}>${n=>o`<${Ks} webhook=${n} doing=${s.get("do")||""} changed=${r.set} reload=${r.reload} />`}<//>
  <//>`}function Ks({webhook:e,doing:s,changed:r,reload:n}){let[a,i]=h(0),l={edit:Gs,enable:!e.enabled&&$s,disable:e.enabled&&$s,rotate:Qs,replay:e.enabled&&Vs,delete:Xs},c=Object.hasOwn(l,s)&&l[s],$=as(e.id,!c);if(c)return o`<${c} key=${s} webhook=${e} changed=${r} sent=${$.watch} />`;let m=(b,d,f="")=>o`<button type="button" class=${"button "+f} onClick=${()=>G(b)}>${t(d)}</button>`,u=()=>{$.watch(!0),i(a+1)};return o`
    <${ke} of=${"webhook "+e.id} title=${t("webhook.secret")} meaning=${t("webhook.secret-once")} copy=${t("webhook.secret-copy")} />
    <p class="glance"><${Te} webhook=${e} /></p>
    ${!e.enabled&&o`<${Y} tone="unsure"><p><strong>${$e(e)[0]}</strong></p><p>${$e(e)[1]} ${t("webhook.meanwhile")}</p><//>`}
    <div class="buttons">
      ${e.enabled?o`<${zs} key=${a} webhook=${e} ready=${!!$.value} sent=${u} />`:m("enable","webhook.enable","primary")}
      ${m("edit","line.edit")}${m("rotate","webhook.rotate")}
      ${e.enabled&&o`${m("replay","webhook.replay")}${m("disable","webhook.disable")}`}
      ${m("delete","line.delete","danger-plain")}
    </div>
    <div aria-live="polite">${e.enabled&&o`<${is} of=${$} />`}</div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${N} of=${[[t("webhook.url"),e.url],[t("webhook.types"),Oe(e)],[t("filter.whose"),_e(e)],[t("webhook.description"),e.description&&o`<span class="text">${e.description}</span>`],[t("line.id"),e.id],[t("created"),v(e.created_at)]]} />
    </section>
    <${ls} of=${$} enabled=${e.enabled} refresh=${()=>{$.reload(),n()}} />`}function zs({webhook:e,ready:s,sent:r}){let n=_({name:"test "+e.id,method:"POST",path:`/webhooks/${e.id}/test`,title:ne("webhook.test",e),fields:{}}),{state:a,problem:i}=n;return T(n,r),o`<div class=${a==="unknown"||i?"wide":""} data-form=${a}>
    ${a==="unknown"?o`<${St} form=${n} />`:o`<button type="button" class="button primary" disabled=${n.frozen||!s} onClick=${()=>n.send({})}>${t(a==="sending"?"form.sending":"webhook.test")}</button>`}
    ${a==="refused"&&i&&o`<${A} problem=${i} />`}
  </div>`}var ne=(e,s)=>`${t(e)}: ${Se(s)}`;function Gs({webhook:e,changed:s}){let r=ne("line.edit",e),n=_({name:"edit webhook "+e.id,method:"PATCH",path:"/webhooks/"+e.id,title:r,fields:qe(e)});return T(n,()=>{s(n.answer),x(k(t("webhook.edited")))}),o`<section class="panel"><h2>${r}</h2>
    <${F} form=${n} submit=${t("save")} ready=${Ce(n.fields)} onSubmit=${()=>n.send(Fe(n.fields))} onClose=${()=>x()}>
      <${De} form=${n} />
    <//>
  </section>`}function $s({webhook:e,changed:s,sent:r}){let n=e.enabled?"webhook.disable":"webhook.enable",a=ne(n,e);return o`<${oe} name=${`${n} ${e.id}`} method="PATCH" path=${"/webhooks/"+e.id} title=${a} meaning=${t(n+"-meaning")} submit=${t(n)}
    body=${{enabled:!e.enabled}} then=${i=>{x(k(t(n+"-done"))),s(i),e.enabled||r()}} />`}var Js=[24,72,168,0];function Qs({webhook:e}){let s=ne("webhook.rotate",e),r=_({name:"rotate "+e.id,method:"POST",path:`/webhooks/${e.id}/rotate`,title:s,place:`/webhooks/${e.id}?do=rotate`,fields:{overlap_hours:24}});return T(r,()=>{let{secret:n,previous_expires_at:a}=r.answer;se.set({of:"webhook "+e.id,secret:n}),x(k(a?t("webhook.rotated-until",{at:v(a)}):t("webhook.rotated")))}),o`<section class="panel"><h2>${s}</h2>
    <${F} form=${r} submit=${t("webhook.rotate")} onSubmit=${()=>r.send(r.fields)} onClose=${()=>x()}>
      <p>${t("webhook.rotate-meaning")}</p>
      <${le} form=${r} name="overlap_hours" label=${t("webhook.overlap")} of=${Js.map(n=>[n,n?t("period.day",{n:n/24}):t("webhook.overlap-none")])} />
    <//>
  </section>`}var Us=36e5;async function Hs(e,{hours:s,...r},n){let a=new Date(C()-s*Us).toISOString(),i=0,l=0,c="",$="";for(let m=0;$!==null&&m<ht;m++){let{data:u,next_cursor:b}=await z("GET",e,{query:{...r,order:"desc",limit:500,cursor:$},signal:n}),d=u.filter(f=>f.timestamp>=a);i+=d.length,d.length&&({seq:l,timestamp:c}=d[d.length-1]),$=d.length<u.length?null:b}return{n:i,seq:l,at:c}}function Vs({webhook:e,sent:s}){let r=ne("webhook.replay",e),n=_({name:"replay "+e.id,method:"POST",path:`/webhooks/${e.id}/replay`,title:r,fields:{from:"1",number:""}}),{from:a,number:i}=n.fields,l=a==="entry",c=g(l?null:"/events",{hours:a,type:e.types.includes("*")?[]:e.types,account:e.scope==="own"?y().id:""},Hs),$=l?/^[1-9]\d{0,14}$/.test(ae(i))&&Number(ae(i)):c.value?.seq;return T(n,()=>{x(k(t("webhook.replayed"))),s()}),o`<section class="panel"><h2>${r}</h2>
    <${F} form=${n} submit=${t("webhook.replay")} ready=${!!$} onSubmit=${()=>n.send({after_seq:Number($)-1})} onClose=${()=>x()}>
      <p>${t("webhook.replay-meaning")}</p>
      <${le} form=${n} name="from" label=${t("webhook.replay-from")} of=${["1","24","168","entry"].map(m=>[m,t("webhook.replay."+m)])} />
      ${l?o`<${q} form=${n} name="number" label=${t("webhook.replay-number")} hint=${t("webhook.replay-hint")} inputmode="numeric" maxlength="15" required />`:o`<${S} of=${c}>${({n:m,at:u})=>o`<p role="status">${m?t("webhook.replay-count",{n:m,at:v(u)}):t("webhook.replay-nothing")}</p>`}<//>`}
    <//>
  </section>`}var Xs=({webhook:e})=>o`<${oe} name=${"delete webhook "+e.id} method="DELETE" path=${"/webhooks/"+e.id} title=${ne("line.delete",e)}
  meaning=${t("webhook.delete-meaning")} submit=${t("line.delete")} danger then=${()=>fe("/webhooks",k(t("webhook.deleted",{host:Se(e)})))} />`;var ps=["read_only","support","cashier","manager"],cs=["lines:read","lines:passwords","lines:write","lines:spend","lines:delete","users:read","users:write","credits:move","ledger:read","events:read","entitlements:read","manage"],ms=(e,s)=>X(`${e}.${s}`)?t(`${e}.${s}`):s,Ae=e=>e.role?ms("rights",e.role):e.scopes.map(s=>ms("scope",s)).join("; "),Xe=e=>X(`rights.${e}-means`)?t(`rights.${e}-means`):"",Ye=({spend_limit:e,spent:s})=>e?t("limit.spent",{spent:ie(s),limit:vt(e.credits)}):t("limit.none"),Ze=({last_used_at:e,last_used_address:s})=>e?t("key.used",{at:v(e),address:s||""}):t("key.unused");function et({one:{expires_at:e}}){let s=!e||new Date(e).getTime()>C();return o`<${Z} good=${s}>${t("line.state."+(s?"active":"expired"))}<//>`}var Ie=e=>new Date(new Date(e).getTime()-new Date(e).getTimezoneOffset()*6e4).toISOString().slice(0,10),tt=(e,s)=>({...e==="key"?{name:s?.name||"",expires_at:s?.expires_at?Ie(s.expires_at):"",allowed_addresses:s?.allowed_addresses.join(`
`)||""}:{username:s?.username||"",...s?{}:{password:""}},role:s?s.role||"":ps[0],scopes:s?.scopes||[],credits:s?.spend_limit?ie(s.spend_limit.credits):""});function st({role:e,scopes:s,credits:r,expires_at:n,allowed_addresses:a,...i},l){let{amount:c}=te(r);return{...i,...e?{role:e}:{scopes:s},spend_limit:c?{credits:c,per:"day"}:null,...a===void 0?{}:{allowed_addresses:ae(a).split(/[\s,;]+/).filter(Boolean),expires_at:n?l?.expires_at&&Ie(l.expires_at)===n?l.expires_at:new Date(n+"T23:59:59").toISOString():null}}}var ot=({role:e,scopes:s})=>!!e||s.length>0;function nt({form:e,kind:s,...r}){let{fields:n}=e,a=(i,l)=>e.set({scopes:cs.filter(c=>c===i?l:n.scopes.includes(c))});return o`
    ${s==="key"?o`<${q} form=${e} name="name" label=${t("key.name")} hint=${t("key.name-hint")} maxlength="64" required />`:o`<${q} form=${e} name="username" label=${t("username")} hint=${t("staff.username-hint")} maxlength="64" required />
        ${"password"in n&&o`<${q} form=${e} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />`}`}
    <${le} form=${e} name="role" label=${t("rights")} of=${[...ps,""].map(i=>[i,t("rights."+(i||"own")),Xe(i||"own")])} />
    ${!n.role&&o`<fieldset class="choice few" disabled=${e.frozen} aria-label=${t("rights.own")}>
      ${!n.scopes.length&&o`<p class="quiet">${t("webhook.choose")}</p>`}
      ${cs.filter(M).map(i=>o`<label key=${i}>
        <input type="checkbox" value=${i} checked=${n.scopes.includes(i)} onChange=${l=>a(i,l.target.checked)} />
        <span>${t("scope."+i)}</span></label>`)}
    </fieldset>`}
    <${_t} form=${e} typed=${te(n.credits)} label=${t("limit")} hint=${t("limit.hint")} required=${!1} />
    ${s==="key"&&o`
      <${q} form=${e} name="expires_at" label=${t("key.expires")} hint=${t("key.expires-hint")} type="date" max="9999-12-31" ...${r} />
      <${q} form=${e} name="allowed_addresses" label=${t("key.addresses")} hint=${t("key.addresses-hint")} kind="textarea" rows="2" maxlength="2500" />`}`}function Ys(){let{query:e}=D.use(),s=e.get("do")||"",r=ee("/auth/session"),n={password:Mt,name:!y().staff&&Zs,totp:Kt,"no-totp":zt},a=Object.hasOwn(n,s)&&n[s];return a?o`<${w} title=${t("nav.sessions")}><${a} of=${r} /><//>`:o`<${w} title=${t("nav.sessions")}>
    <div class="buttons"><button type="button" class="button" onClick=${()=>G("password")}>${t("password.change")}</button>
      ${!y().staff&&o`<button type="button" class="button" onClick=${()=>G("name")}>${t("name.change")}</button>`}</div>
    <${S} of=${r}>${i=>o`<${Bt} on=${i.totp} /><${eo} />`}<//>
  <//>`}function Zs(){let e=g("/users/logged");return o`<${S} of=${e}>${s=>o`<${Nt} account=${s} />`}<//>`}function eo(){let e=g("/auth/sessions");return o`<h2>${t("sessions")}</h2><p>${t(y().staff?"sessions.own-meaning":"sessions.meaning")}</p><${rt} of=${e} />`}function rt({of:e,name:s}){return o`<${S} of=${e}>${r=>{let n=r.filter(a=>!s||a.staff===s);return n.length?o`<ul class="rows">${n.map(a=>o`<li key=${a.id}><${to} session=${a} ended=${e.reload} /></li>`)}</ul>`:o`<p class="quiet">${t("sessions.none")}</p>`}}<//>`}function to({session:e,ended:s}){let[r,n]=h(null),[a,i]=h(!1),l=async()=>{i(!0),n(null);try{await z("DELETE","/auth/sessions/"+e.id),s()}catch(c){c.status===404?s():n(c),i(!1)}};return o`<div class="row session">
    <span class="name">${so(e.device)}${e.staff&&e.staff!==y().staff?.username&&o` · ${e.staff}`}${e.current&&o` <${Z} good badge>${t("sessions.this")}<//>`}</span>
    <span class="quiet">${t("sessions.used",{at:v(e.last_used_at),address:e.address})}</span>
    <span class="quiet">${t("sessions.since",{at:v(e.created_at)})}</span>
    ${!e.current&&o`<button type="button" class="button" disabled=${a} onClick=${l}>${t("sessions.end")}</button>`}
    ${r&&o`<${A} problem=${r} retry=${l} />`}
  </div>`}function so(e){let s=[[/Edg(e|A|iOS)?\//,"Edge"],[/OPR\//,"Opera"],[/SamsungBrowser\//,"Samsung Internet"],[/Firefox\/|FxiOS\//,"Firefox"],[/Chrom(e|ium)\/|CriOS\//,"Chrome"],[/Safari\//,"Safari"]].find(([n])=>n.test(e))?.[1],r=[[/Android/,"Android"],[/iPhone|iPad/,"iOS"],[/Windows/,"Windows"],[/Mac OS X/,"macOS"],[/CrOS/,"ChromeOS"],[/Linux/,"Linux"]].find(([n])=>n.test(e))?.[1];return[s,r].filter(Boolean).join(" · ")||e||t("sessions.unknown")}var oo=100,R={key:"/keys",staff:"/staff"},re=e=>e.name||e.username,no=()=>o`<${us} kind="key" />`,ro=()=>o`<${us} kind="staff" />`,ao=({id:e})=>o`<${ds} kind="key" id=${e} />`,io=({id:e})=>o`<${ds} kind="staff" id=${e} />`;function us({kind:e}){let{query:s}=D.use();return s.get("do")==="create"?o`<${$o} kind=${e} />`:o`<${ve} path=${R[e]} title=${t("nav."+R[e].slice(1))} meaning=${t(e+".meaning")} add=${t(e+".new")} most=${oo}
    full=${t("problem.too-many-principals")} empty=${t(e+".none")} row=${r=>o`<${lo} kind=${e} one=${r} />`} />`}var lo=({kind:e,one:s})=>o`<${W} class="row principal" to=${`${R[e]}/${s.id}`} data-row>
  <span class="name" translate=${!1}>${re(s)}</span>
  <span>${e==="key"&&o`<${et} one=${s} />`}</span>
  <span>${Ae(s)}</span>
  <span class="quiet">${s.expires_at&&o`${t("event.until",{until:v(s.expires_at)})} · `}${Ye(s)} · ${Ze(s)}</span>
<//>`;function $o({kind:e}){let s=_({name:e,method:"POST",path:R[e],title:t(e+".new"),place:R[e]+"?do=create",secret:["password"],fields:{...tt(e),...e==="staff"&&{password:Lt()}}}),{fields:r,answer:n}=s;return T(s,()=>{se.set({of:`${e} ${n.id}`,secret:n.key||r.password}),de(`${R[e]}/${n.id}`,{replace:!0,state:k(t(e+".created",{name:re(n)}))})}),o`<${w} title=${t(e+".new")} up=${R[e]}><section class="panel">
    <${F} form=${s} submit=${t("reseller.create")} ready=${ot(r)} unclear=${!!te(r.credits).wrong} onSubmit=${()=>s.send(st(r))} onClose=${()=>x()}>
      <${nt} form=${s} kind=${e} min=${Ie(C())} />
    <//>
  </section><//>`}function ds({kind:e,id:s}){let{query:r}=D.use(),n=ee(`${R[e]}/${s}`);return xe(),o`<${w} title=${n.value?re(n.value):t("nav."+R[e].slice(1))} named=${n.value} up=${R[e]}>
    <${S} of=${n}>${a=>o`<${co} kind=${e} one=${a} doing=${r.get("do")||""} changed=${n.set} />`}<//>
  <//>`}function co({kind:e,one:s,doing:r,changed:n}){let a={edit:po,remove:ho,...e==="staff"?{password:uo,totp:fo}:{}},i=Object.hasOwn(a,r)&&a[r];if(i)return o`<${i} key=${r} kind=${e} one=${s} changed=${n} />`;let l=(c,$,m="")=>o`<button type="button" class=${"button "+m} onClick=${()=>G(c)}>${t($)}</button>`;return o`
    ${e==="staff"?o`<${Wt} of=${"staff "+s.id} name=${s.username} />`:o`<${ke} of=${"key "+s.id} title=${t("key.secret")} meaning=${t("key.secret-once")} copy=${t("key.secret-copy")} /><p class="glance"><${et} one=${s} /></p>`}
    <div class="buttons">
      ${l("edit","line.edit")}
      ${e==="staff"&&o`${l("password","password.new")}${l("totp","reseller.totp")}`}
      ${l("remove",e+".remove","danger-plain")}
    </div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${N} of=${[[t("rights"),s.role?o`<strong>${Ae(s)}</strong>. ${Xe(s.role)}`:Ae(s)],[t("limit"),Ye(s)],[t("key.expires"),e==="key"?s.expires_at?o`<${Ot} at=${s.expires_at} />`:t("key.never"):null],[t("key.addresses"),e==="key"?s.allowed_addresses.join(", ")||t("key.anywhere"):null],[t("key.last"),Ze(s)],[t("line.id"),s.id],[t("created"),v(s.created_at)]]} />
    </section>
    ${e==="staff"&&!y().staff&&o`<${mo} name=${s.username} />`}`}function mo({name:e}){let s=g("/auth/sessions");return o`<section class="panel"><h2>${t("sessions")}</h2><${rt} of=${s} name=${e} /></section>`}var je=(e,s)=>`${t(e)}: ${re(s)}`;function po({kind:e,one:s,changed:r}){let n=je("line.edit",s),a=_({name:`edit ${e} ${s.id}`,method:"PATCH",path:`${R[e]}/${s.id}`,title:n,fields:tt(e,s)}),{fields:i,answer:l}=a;return T(a,()=>{x(k(t("reseller.contact-done",{name:re(l)}))),r(l)}),o`<section class="panel"><h2>${n}</h2>
    <${F} form=${a} submit=${t("save")} ready=${ot(i)} unclear=${!!te(i.credits).wrong} onSubmit=${()=>a.send(st(i,s))} onClose=${()=>x()}>
      <${nt} form=${a} kind=${e} />
    <//>
  </section>`}function uo({one:e}){let s=je("password.new",e),r=_({name:"password of staff "+e.id,method:"PATCH",path:"/staff/"+e.id,title:s,secret:["password"],fields:{password:""}});return T(r,()=>x(k(t("staff.password-done",{name:e.username})))),o`<section class="panel"><h2>${s}</h2>
    <${F} form=${r} submit=${t("save")} onSubmit=${()=>r.send(r.fields)} onClose=${()=>x()}>
      <p>${t("staff.password-meaning")}</p>
      <${q} form=${r} name="password" label=${t("password.new")} hint=${t("reseller.password-hint")} minlength="6" maxlength="128" required />
    <//>
  </section>`}var fo=({one:e})=>o`<${oe} name=${"totp of staff "+e.id} method="DELETE" path=${`/staff/${e.id}/totp`} title=${je("reseller.totp",e)}
  meaning=${t("reseller.totp-meaning")} submit=${t("reseller.totp")} danger then=${()=>x(k(t("reseller.totp-done",{name:e.username})))} />`,ho=({kind:e,one:s})=>o`<${oe} name=${`remove ${e} ${s.id}`} method="DELETE" path=${`${R[e]}/${s.id}`} title=${je(e+".remove",s)}
  meaning=${t(e+".remove-meaning")} submit=${t(e+".remove")} danger then=${()=>fe(R[e],k(t(e+".removed",{name:re(s)})))} />`;var fs=["whatsapp","telegram"];function bo(){let e=g(`/users/${y().id}/messages`),[s,r]=h(0),n=a=>{e.set(a),Jt(a),r(s+1),he(k(t("messages.saved")))};return o`<${w} title=${t("nav.messages")}>
    <p>${t(y().is_admin?"messages.meaning-top":"messages.meaning")}</p>
    <${S} of=${e}>${a=>M("users:write")?o`<${wo} key=${s} messages=${a} saved=${n} />`:o`<${yo} messages=${a} />`}<//>
  <//>`}var hs=e=>{let s={access:30,reminder:3,expired:-1,welcome:30}[e]||30;return{username:"maria.tv",password:"7Kd92x",expDate:new Date(C()+s*864e5).toISOString()}},bs=({text:e})=>o`<p class="bubble text" translate=${!1} data-message>${e}</p>`,yo=({messages:e})=>o`
  <section class="panel"><h2>${t("messages.where")}</h2>
    <${N} of=${["server","apps"].map(s=>[t("messages."+s),o`<span class="text">${Re(s,e)||t("messages.none")}</span>`])} />
  </section>
  <div class="panels">${ce.map(s=>o`<section class="panel" key=${s}><h2>${t("messages."+s)}</h2>
    <${bs} text=${Ue(Re(s,e),hs(s),e)} /></section>`)}</div>`;function wo({messages:e,saved:s}){let r=["server","apps",...ce,...fs],n=Object.fromEntries(r.map($=>[$,fs.includes($)?"":e.inherited[$]||(ce.includes($)?t("message.default."+$):"")])),a=_({name:"messages",method:"PUT",path:`/users/${y().id}/messages`,title:t("nav.messages"),fields:Object.fromEntries(r.map($=>[$,e[$]||n[$]]))}),{fields:i}=a;T(a,()=>s(a.answer));let l=Object.fromEntries(r.map($=>{let m=($==="server"?i[$].replace(/\s+/g," "):i[$]).trim();return[$,m===n[$].trim()?null:m||null]})),c={...l,inherited:e.inherited};return o`<${F} form=${a} submit=${t("save")} onSubmit=${()=>a.send(l)}>
    <section class="panel"><h2>${t("messages.where")}</h2>
      <${at} form=${a} name="server" above=${n.server} hint=${t("messages.server.hint")} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${at} form=${a} name="apps" above=${n.apps} hint=${t("messages.apps.hint")} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${ce.map($=>o`<section class="panel template" key=${$}>
      <div>
        <${at} form=${a} name=${$} above=${n[$]}
          standard=${!e.inherited[$]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${t("messages.insert")}>${Gt.map(m=>o`<button type="button" class="button" key=${m} disabled=${a.frozen}
          onClick=${u=>go(a,$,`{${m}}`,u.currentTarget)}><${O} name="plus" />${t("messages.put."+m)}</button>`)}</div>
      </div>
      <div><p class="quiet">${t("messages.preview")}</p><${bs} text=${Ue(Re($,c),hs($),c)} /></div>
    </section>`)}
    ${J.haveBelow()&&o`<section class="panel"><h2>${t("messages.reach")}</h2><p>${t("messages.reach.meaning")}</p>
      <${q} form=${a} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
      <${q} form=${a} name="telegram" label=${t("telegram")} hint=${t("messages.telegram.hint")} maxlength="64" />
    </section>`}
  <//>`}var at=({form:e,name:s,above:r,standard:n=!1,...a})=>o`
  <${q} form=${e} name=${s} label=${t("messages."+s)} placeholder=${r} ...${a} />
  ${!!r&&(e.fields[s].trim()!==r.trim()?o`<button type="button" class="button link" disabled=${e.frozen} onClick=${()=>e.set({[s]:r})}><${O} name="rotate-cw" />${t(n?"messages.use-standard":"messages.use-above")}</button>`:o`<p class="from"><span class="badge">${t(n?"messages.is-standard":"messages.is-above")}</span></p>`)}`;function go(e,s,r,n){let a=n.closest(".template")?.querySelector("textarea"),{value:i,selectionStart:l,selectionEnd:c}=a;e.set({[s]:i.slice(0,l)+r+i.slice(c)}),setTimeout(()=>{a.focus(),a.setSelectionRange(l+r.length,l+r.length)})}function vo(){let e=g("/prices");return o`<${w} title=${t("nav.prices")}>
    <${S} of=${e}>${({prices:s})=>o`<section class="panel">
      <${N} of=${s.map(r=>[Ht(r.period),o`<${ye} of=${r.credits} />`])} /></section>`}<//>
  <//>`}var ko=5,xo=200,ws=({username:e,whatsapp:s,notes:r,telegram:n,email:a,external_id:i},l)=>[e,s,r,n,a,i].find(c=>Ee(c,l));function ys(e,s,r){let n=g(e&&r?e:null,{q:r,limit:ko},(c,$,m)=>z("GET",c,{query:$,signal:m}).then(u=>({...u,of:r}))),a=n.value,i=V([]);a&&(i.current=a.data);let l=a?.of===s;return{rows:s?l?i.current:i.current.filter(c=>ws(c,s)):[],more:l&&a?.next_cursor!==null,settled:!e||!s||l||r===s&&!!n.problem,problem:s&&n.problem,reload:n.reload}}function So({places:e,close:s}){let{path:r,query:n}=D.use(),a=pe(),i=V(null),l=V(!1),[c,$]=h(r==="/lines"&&n.get("q")||""),[m,u]=h(""),[b,d]=h(""),f=wt(c);L(()=>{let p=setTimeout(()=>u(f),xo);return()=>clearTimeout(p)},[f]);let Q=Vt("trial that was searched for",s),E=ys(M("lines:read")?"/lines":"",f,m),B=ys(J.seeResellers()?"/users":"",f,m),I=E.settled&&B.settled,it=p=>({name:p.username,record:!0,hit:Ee(p.username,f)?p.whatsapp:ws(p,f)||p.whatsapp}),me=E.rows.length,lt=B.rows.filter(({id:p})=>p!==y().id),$t=({name:p})=>!f||!!Ee(p,f),ct=p=>p.map(([j,H,Ss])=>({key:j,to:j,icon:H,name:Ss})).filter($t),mt=[[t("nav.lines"),E.rows.map(p=>({key:"line "+p.id,icon:"tv",to:"/lines/"+p.id,end:be(p.expDate),...it(p)}))],[t("nav.resellers"),lt.map(p=>({key:"user "+p.id,icon:"users",to:"/resellers/"+p.id,end:p.is_admin?"":t("balance-after",{amount:ie(p.credits)}),...it(p)}))],[t("actions"),[...M("lines:write")?[{key:"trial",icon:"plus",name:t("trial.new"),act:()=>Q.send({})}].filter($t):[],...ct([...J.createResellers()?[["/resellers?do=create","plus",t("reseller.new")]]:[],...M("manage")?[["/staff?do=create","plus",t("staff.new")],["/keys?do=create","plus",t("key.new")]]:[]]),...me||E.more?[{key:"list",icon:"list-filter",to:"/lines?"+new URLSearchParams({q:f}),name:E.more?t("search.list"):t("search.list-n",{n:me,count:P(me)})}]:[]]],[t("search.places"),ct(e)]].filter(([,p])=>p.length),K=mt.flatMap(([,p])=>p),U=K.find(({key:p})=>p===b)||(f?K[0]:void 0),We=p=>p&&a+p.key.replace(/\W/g,"-"),Me=()=>document.getElementById(We(U)||"");ut(()=>{let p=i.current,j=p.querySelector("input");return p.showModal(),j?.focus(),j?.select(),()=>p.close()},[]),L(()=>Me()?.scrollIntoView({block:"nearest"}),[U?.key]),L(()=>{!I||!l.current||(l.current=!1,Me()?.click())},[I]);let xs=p=>{let j={ArrowDown:1,ArrowUp:-1}[p.key];if(j&&K.length)d(K.at((U?K.indexOf(U)+j:j>0?0:-1)%K.length)?.key||"");else if(p.key==="Enter")I?Me()?.click():l.current=!0;else return;p.preventDefault()},Ne=me+lt.length,Be=E.problem||B.problem,pt=!f||!I||Be?"":!Ne&&(E.more||B.more)?t("list.paused"):t("search.results",{n:Ne,count:P(Ne)+(E.more||B.more?"+":"")});return o`<dialog class="palette" ref=${i} aria-label=${t("search")} onClose=${s} onKeyDown=${p=>p.stopPropagation()}
    onPointerDown=${p=>{Tt(p)&&s()}}>
    <div class="palette-head"><${O} name="search" />
      <input type="text" role="combobox" aria-expanded=${K.length>0} aria-controls=${a} aria-activedescendant=${We(U)} aria-autocomplete="list" aria-label=${t("search")} value=${c}
        enterkeyhint="go" autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" onKeyDown=${xs}
        onInput=${p=>{$(p.target.value),d(""),l.current=!1}} />
      <kbd class="key desk" aria-hidden="true">Esc</kbd><button type="button" class="button ghost only thumb" aria-label=${t("close")} onClick=${s}><${O} name="x" /></button></div>
    ${K.length>0&&o`<ul class="menu" role="listbox" id=${a} aria-label=${t("search")} aria-busy=${!I} onClick=${p=>{p.defaultPrevented&&p.target.closest("a")&&s()}}>
      ${mt.map(([p,j])=>o`<li key=${p} role="group" aria-label=${p}><span class="menu-head" aria-hidden="true">${p}</span>
        ${j.map(H=>o`<${Oo} key=${H.key} of=${H} id=${We(H)} on=${H===U} by=${f} off=${Q.frozen} />`)}</li>`)}</ul>`}
    ${Be&&o`<${A} problem=${Be} retry=${()=>{E.reload(),B.reload()}} />`}
    <${Xt} form=${Q} />
    ${!!pt&&!K.length&&o`<p class="quiet none">${t("search.none")}</p>`}
    <footer><span class="desk"><kbd class="key">↑</kbd> <kbd class="key">↓</kbd> ${t("search.choose")}</span><span class="desk"><kbd class="key">Enter</kbd> ${t("search.open")}</span><span class="count" role="status">${pt}</span></footer>
  </dialog>`}function Oo({of:{icon:e,name:s,to:r,act:n,record:a,hit:i,end:l},id:c,on:$,by:m,off:u}){let b={id:c,role:"option",tabindex:-1,"aria-selected":$,class:$?"is-hover":""},d=o`<${O} name=${e} /><span class="clip" translate=${!a}><${He} text=${s} by=${m} />${i&&o` <span class="quiet"><${He} text=${i} by=${m} /></span>`}</span>
    ${l&&o`<span class="at desk">${l}</span>`}`;return r?o`<${W} to=${r} ...${b}>${d}<//>`:o`<button type="button" disabled=${u} onClick=${n} ...${b}>${d}</button>`}var Le=500,vs=()=>`resellerd${ue} reminded ${yt(y())}`,ks=()=>new Date(C()).toDateString();function gs(){let e=JSON.parse(ft(vs())||"{}");return e.day===ks()?e.ids:[]}function _o({ids:e,query:s={},onClose:r}){let n=kt(e?null:"/lines",{...s,limit:Le},Le),[a]=h(gs),[i,l]=h([]),c=e||(n.value?.data||[]).slice(0,Le).map(({id:I})=>I),$=c.filter(I=>!a.includes(I)),m=($.length?$:c).filter(I=>!i.includes(I)),[u]=m,b=c.length-m.length,d=c.length,f=g(u?`/lines/${u}`:null),Q=!Qt().reading&&f.value?.id===u?f.value:null,E=()=>{if(dt(vs(),JSON.stringify({day:ks(),ids:[...gs(),u].slice(-4*Le)})),m.length>1)return l([...i,u]);r(),he(k(t("queue.done")))},B=e||n.value?f.problem:n.problem;return o`<${qt} title=${d?t("queue.title",{n:d,count:P(d)}):t("queue")} about=${d?t("queue.at",{at:P(b+1),all:P(d)}):""} onClose=${r}>
    <svg class="left" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4" /><rect class="run" width=${d?100*b/d:0} height="4" /></svg>
    ${B?o`<${A} problem=${B} retry=${e||n.value?f.reload:n.reload} />${u&&o`<button type="button" class="button link" onClick=${E}>${t("queue.skip")}</button>`}`:Q?o`<${To} key=${u} line=${Q} last=${m.length===1} next=${E} />`:n.value&&!d?o`<p>${t("lines.none-such")}</p>`:o`<${xt} />`}
  <//>`}function To({line:e,last:s,next:r}){let n=pe(),[a,i]=h(null),l=V(null),c=Ft(e.whatsapp,e.country),$=a??Ut(Yt(e),e);L(()=>l.current?.focus({preventScroll:!0}),[]);let m=u=>u.detail>1?u.preventDefault():setTimeout(r);return o`<div class="turn">
    <div><h3 id=${n} class="name" translate=${!1}>${e.username}</h3>
      <p class="quiet small">${be(e.expDate)} · ${c?Ct(c):o`<span class="soon">${e.whatsapp?t("queue.unsure",{number:e.whatsapp}):t("queue.no-number")}</span>`}</p></div>
    ${a===null?o`<p class="bubble text" translate=${!1} data-message>${$}</p>`:o`<textarea class="input" rows="8" maxlength="2000" aria-label=${t("queue.edit")} value=${a} onInput=${u=>i(u.target.value)}></textarea>`}
    <a class="button primary tall wide" ref=${l} href=${Dt(c,$)} target="_blank" rel="noopener noreferrer" aria-describedby=${n} data-next onClick=${m}><${O} name="message-circle" />${t(s?"queue.last":"queue.next")}</a>
    <div class="rowed"><button type="button" class="button link" data-skip onClick=${r}>${t("queue.skip")}</button>
      ${a===null&&o`<button type="button" class="button link" onClick=${()=>i($)}>${t("queue.edit")}</button>`}</div>
  </div>`}export{Ds as Activity,Ts as Job,_s as Jobs,no as Keys,io as Member,bo as Messages,ao as OneKey,Bs as OneWebhook,So as Palette,vo as Prices,Os as Proof,_o as Queue,Ys as Sessions,ro as Staff,Es as Webhooks};
//# sourceMappingURL=rare.js.map
