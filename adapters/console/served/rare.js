import{$a as K,$b as ie,Aa as N,B as Ke,Ba as h,Bb as tt,C as ve,Da as x,E,Fa as X,Ga as S,Ha as Ge,Ia as He,J as t,Ja as se,K as L,M as w,Nb as Oe,Pa as q,Qb as V,Rb as st,Ua as oe,Ub as ot,W,Wb as re,X as te,Xa as g,Ya as v,Yb as Te,Z as Q,_ as u,_b as ae,ab as Je,ac as le,bb as b,bc as $e,c as _,cc as Y,d as J,dc as me,ec as ce,fa as Me,fc as pe,ga as U,gc as de,ha as ke,hb as Qe,hc as Ct,i as o,ib as Ue,ja as ze,jb as Xe,jc as ue,kb as xe,kc as M,lb as Ve,lc as fe,m as F,mb as ne,mc as he,n as Ie,nb as Se,nc as z,ob as Ye,p as j,pb as _e,pc as nt,q as Be,qb as Ze,qc as rt,ra as D,rc as at,s as Ne,sa as p,sc as it,t as C,ta as I,tb as et,u as Z,uc as lt,v as ee,va as B,w as A,wa as P,x as f,xa as y,xc as $t,yc as mt}from"./chunk.js";var Fe=50,qt=()=>o`<${p} title=${t("nav.jobs")}>
  <${oe} path="/bulk" label=${t("nav.jobs")} empty=${t("job.none")} row=${e=>o`<${E} class="row job-row" to=${"/jobs/"+e.id} data-row>
    <span class="name">${ne(e)}</span><span class="quiet">${_e(e)}</span><span class="quiet">${u(e.created_at)}</span><//>`} />
<//>`;function Dt({id:e}){let s=y(`/bulk/${e}`),r=xe.use(),n=r?.id===Number(e)?r:s.value;return J(()=>{s.value?.status==="running"&&Ve(s.value)},[s.value]),o`<${p} title=${n?ne(n):t("nav.jobs")} up="/lines">
    <${h} of=${n?{value:n}:s}>${a=>o`<${Rt} job=${a} />
      <p><${E} to="/jobs">${t("job.all")}<//></p>`}<//>
  <//>`}function Rt({job:e}){let s=e.status==="running",r=tt[e.action]||"lines:write";return o`<section class="panel" data-job=${e.status}>
    ${s&&o`<progress role="progressbar" max=${e.matched} value=${e.done} aria-valuenow=${e.done} aria-valuemin="0" aria-valuemax=${e.matched}
      aria-label=${ne(e)} aria-valuetext=${Ye(e)}></progress>`}
    <p class="glance" role=${s?void 0:"status"}>${_e(e)}</p>
    ${s&&W(r)&&o`<${Et} job=${e} />`}
    ${!s&&!e.dry_run&&o`<${q} of=${[[t("job.charged"),e.charged!=="0"&&o`<${se} of=${e.charged} />`],[t("job.left"),e.status==="stopped"&&Se(e.matched-e.done)],[t("job.began"),u(e.created_at)],[t("job.ended"),e.finished_at&&u(e.finished_at)]].filter(([,n])=>n)} />`}
  </section>
  ${!s&&!e.dry_run&&e.done>0&&o`<${Pt} job=${e} />`}`}function Et({job:e}){let s=g({name:"stop "+e.id,method:"DELETE",path:"/bulk/"+e.id,title:t("job.stop"),fields:{}});return v(s,()=>xe.set(s.answer)),o`<${S} form=${s} danger submit=${t("job.stop")} onSubmit=${()=>s.send()} />`}function Pt({job:{id:e,refused:s}}){let[r,n]=_(null),[a,i]=_(null),l=()=>{let m=new AbortController,$={},c=s;return i(null),Ne(`/bulk/${e}/results`,({line:d,code:T,line_username:k})=>{if(!T)return!0;let R=$[T]||={n:0,lines:[]};return R.n++<Fe&&R.lines.push({line:d,name:k||t("job.line",{id:d})}),--c>0},m.signal).then(()=>n($),d=>{m.signal.aborted||i(d)}),()=>m.abort()};return J(()=>s?l():void 0,[]),o`${s>0&&o`<section class="panel" aria-busy=${!r&&!a}><h2>${t("job.refused",{n:s,count:U(s)})}</h2>
    ${a&&o`<${P} problem=${a} retry=${l} />`}
    ${r&&Object.entries(r).map(([m,{n:$,lines:c}])=>o`<div key=${m} data-why=${m}>
      <p>${Se($)}: ${Ze(m)}</p>
      <ul class="names">${c.map(({line:d,name:T})=>o`<li key=${d} class="name" translate=${!1}>${m==="not-found"?T:o`<${E} to=${"/lines/"+d}>${T}<//>`}</li>`)}${$>Fe&&o`<li class="quiet">${t("job.more",{n:$-Fe})}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${Ie}/bulk/${e}/results`} download=${`job-${e}.ndjson`}><${D} name="download" />${t("job.save")}</a></div>`}var ct={lines:["line.*"],jobs:["bulk.*"],credits:["reseller.credited","reseller.reclaimed","line.activated","line.extended","balance.*"],accounts:["reseller.*","operator.*"],access:["session.*","token.*","password.*","totp.*"],keys:["key.*","staff.*"],webhooks:["webhook.*"]},pt=["what","mine","line","account"];function At(){let{query:e}=C.use(),s=e.get("what")||"",r={type:ct[s],account:e.get("mine")?w().id:e.get("account"),line:e.get("line")},{from:n,entries:a,problem:i,reload:l}=Qe(r),m=pt.some(c=>e.get(c)),$=(c,d,T)=>o`
    <select aria-label=${d} value=${e.get(c)||""} onChange=${k=>ve({[c]:k.target.value})}>
      ${T.map(([k,R])=>o`<option key=${k} value=${k}>${R}</option>`)}
    </select>`;return o`<${p} title=${t("nav.activity")}>
    <div class="filters">
      ${$("what",t("activity.what"),[["",t("activity.all")],...Object.keys(ct).map(c=>[c,t("activity."+c)])])}
      ${te.haveBelow()&&$("mine",t("filter.whose"),[["",t("filter.everyone")],["1",t("filter.mine")]])}
      ${m&&o`<button type="button" class="button" onClick=${()=>ve(Object.fromEntries(pt.map(c=>[c,""])))}>
        <${D} name="x" />${t("filter.clear")}</button>`}
    </div>
    <div aria-live="polite">
      ${a.length>0&&o`<ul class="rows" aria-label=${t("activity.new")}>${a.map(c=>o`<li key=${c.id}>${Oe(c)}</li>`)}</ul>`}
    </div>
    ${n===null&&i&&o`<${P} problem=${i} retry=${l} />`}
    ${n!==null&&o`<${oe} path="/events" query=${{...r,order:"desc"}} row=${c=>c.seq>n?null:Oe(c)}
      label=${t("nav.activity")} lasting empty=${t(m?"activity.none-such":"activity.none")} />`}
  <//>`}var jt=10,dt=80;function Lt(){let{query:e}=C.use();return e.get("do")==="create"?o`<${Bt} />`:o`<${Wt} />`}var Wt=()=>o`<${ue} path="/webhooks" title=${t("nav.webhooks")} meaning=${t("webhook.meaning")} add=${t("webhook.new")} most=${jt}
  full=${t("problem.too-many-webhooks")} empty=${t("webhook.none")} row=${e=>o`<${It} webhook=${e} />`} />`,It=({webhook:e})=>o`<${E} class="row webhook" to=${"/webhooks/"+e.id} data-row>
  <span class="name">${e.url.length>dt?e.url.slice(0,dt-1)+"…":e.url}${e.description&&o`<span class="notes quiet">${e.description}</span>`}</span>
  <${$e} webhook=${e} />
  <span class="quiet">${ie(e)} · ${le(e)}</span>
  ${!e.enabled&&o`<span>${Y(e).join(" ")}</span>`}
<//>`;function Bt(){let e=g({name:"webhook",method:"POST",path:"/webhooks",title:t("webhook.new"),place:"/webhooks?do=create",fields:me()}),{fields:s,answer:r}=e;return v(e,()=>{M.set({of:"webhook "+r.id,secret:r.secret}),Z("/webhooks/"+r.id,{replace:!0,state:b(t("webhook.created"))})}),o`<${p} title=${t("webhook.new")} up="/webhooks"><section class="panel">
    <${S} form=${e} submit=${t("reseller.create")} ready=${pe(s)} onSubmit=${()=>e.send(ce(s))} onClose=${()=>f()}>
      <${de} form=${e} />
    <//>
  </section><//>`}var Nt=1e3,Kt=25e3,ut=10,be=e=>e?.find(({event:s})=>s.startsWith("test_")),Mt=e=>e.replace(/.*_/,""),ft=({error:e,cause:s})=>L("delivery.tls."+s)?t("delivery.tls."+s):L("delivery.why."+e)?t("delivery.why."+e):e,ht=({of:{answer:e}})=>e&&o`<span class="text">${t("delivery.answer")} <bdi>${e}</bdi></span>`;function bt(e,s){let r=y(`/webhooks/${e}/deliveries`),[n,a]=_(null);J(()=>{if(!s||!n||n.over)return;let l=new AbortController;return i(l.signal),()=>l.abort()},[s,n]);let i=async l=>{for(let m=Date.now()+Kt;Date.now()<m;){if(await Xe(l,Nt),await Ue(l),l.aborted)return;try{let $=await j("GET",`/webhooks/${e}/deliveries`,{signal:l});if(r.set($),n?.test&&be($.data)?.event!==n.before)break}catch{}}l.aborted||a(m=>m&&{...m,over:!0})};return{...r,test:n?.test&&be(r.value?.data)?.event!==n.before?be(r.value?.data):void 0,watched:n,watch:(l=!1)=>a({test:l,before:be(r.value?.data)?.event,over:!1})}}function wt({of:{test:e,watched:s}}){return s?.test?e?e.error?o`<${I} tone="bad"><p>${t("webhook.test-failed",{why:ft(e)})} <${ht} of=${e} /></p><//>`:o`<${I} tone="good"><p>${t("webhook.test-arrived",{status:e.http_status,ms:U(e.duration_ms)})}</p><//>`:o`<${I} tone=${s.over?"unsure":"plain"}><p>${t(s.over?"webhook.test-late":"webhook.test-sent")}</p><//>`:null}function yt({of:e,enabled:s,refresh:r}){let[n,a]=_(!1);return o`<section class="panel"><h2>${t("delivery.attempts")}</h2>
    <${h} of=${e}>${({data:i})=>o`
      ${i.length?o`<ul class="rows">${i.slice(0,n?i.length:ut).map(l=>o`<li key=${l.event+l.attempt+l.at}>
        <${Gt} of=${l} goesOn=${s&&i.find(({event:m})=>m===l.event)===l} /></li>`)}</ul>`:o`<p class="quiet">${t("delivery.none")}</p>`}
      <div class="buttons">
        ${i.length>ut&&!n&&o`<button type="button" class="button" onClick=${()=>a(!0)}>${t("home.all")}</button>`}
        <button type="button" class="button" disabled=${e.loading} onClick=${r}><${D} name="rotate-cw" />${t("list.refresh")}</button>
      </div>`}<//>
  </section>`}var zt=e=>e&&Date.parse(e)>F()&&(Date.parse(e)<F()+6e4?t("delivery.soon"):t("delivery.next",{at:Me(e)}));function Gt({of:e,goesOn:s}){let r=[e.http_status&&t("delivery.status",{status:e.http_status}),U(e.duration_ms)+" ms",e.attempt>1&&t("delivery.attempt",{n:e.attempt}),s&&zt(e.next_attempt_at)];return o`<div class="row delivery">
    <span class="name">${t(e.event.startsWith("test_")?"delivery.test":"delivery.entry",{n:Mt(e.event)})}</span>
    <${B} good=${!e.error}>${t(e.error?"delivery.failed":"delivery.arrived")}<//>
    ${e.error&&o`<span>${ft(e)}</span>`}
    <${ht} of=${e} />
    <span class="quiet"><time datetime=${e.at}>${u(e.at)}</time>${r.filter(Boolean).map(n=>" · "+n)}</span>
  </div>`}function Ht({id:e}){let{query:s}=C.use(),r=N(`/webhooks/${e}`);return he(),o`<${p} title=${r.value?ae(r.value):t("nav.webhooks")} up="/webhooks">
    <${h} of=${r}>${n=>o`<${Jt} webhook=${n} doing=${s.get("do")||""} changed=${r.set} reload=${r.reload} />`}<//>
  <//>`}function Jt({webhook:e,doing:s,changed:r,reload:n}){let[a,i]=_(0),l={edit:Ut,enable:!e.enabled&&gt,disable:e.enabled&&gt,rotate:Vt,replay:e.enabled&&es,delete:ts},m=Object.hasOwn(l,s)&&l[s],$=bt(e.id,!m);if(m)return o`<${m} key=${s} webhook=${e} changed=${r} sent=${$.watch} />`;let c=(T,k,R="")=>o`<button type="button" class=${"button "+R} onClick=${()=>A(T)}>${t(k)}</button>`,d=()=>{$.watch(!0),i(a+1)};return o`
    <${fe} of=${"webhook "+e.id} title=${t("webhook.secret")} meaning=${t("webhook.secret-once")} copy=${t("webhook.secret-copy")} />
    <p class="glance"><${$e} webhook=${e} /></p>
    ${!e.enabled&&o`<${I} tone="unsure"><p><strong>${Y(e)[0]}</strong></p><p>${Y(e)[1]} ${t("webhook.meanwhile")}</p><//>`}
    <div class="buttons">
      ${e.enabled?o`<${Qt} key=${a} webhook=${e} ready=${!!$.value} sent=${d} />`:c("enable","webhook.enable","primary")}
      ${c("edit","line.edit")}${c("rotate","webhook.rotate")}
      ${e.enabled&&o`${c("replay","webhook.replay")}${c("disable","webhook.disable")}`}
      ${c("delete","line.delete","danger-plain")}
    </div>
    <div aria-live="polite">${e.enabled&&o`<${wt} of=${$} />`}</div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${q} of=${[[t("webhook.url"),e.url],[t("webhook.types"),ie(e)],[t("filter.whose"),le(e)],[t("webhook.description"),e.description&&o`<span class="text">${e.description}</span>`],[t("line.id"),e.id],[t("created"),u(e.created_at)]]} />
    </section>
    <${yt} of=${$} enabled=${e.enabled} refresh=${()=>{$.reload(),n()}} />`}function Qt({webhook:e,ready:s,sent:r}){let n=g({name:"test "+e.id,method:"POST",path:`/webhooks/${e.id}/test`,title:G("webhook.test",e),fields:{}}),{state:a,problem:i}=n;return v(n,r),o`<div class=${a==="unknown"||i?"wide":""} data-form=${a}>
    ${a==="unknown"?o`<${Ge} form=${n} />`:o`<button type="button" class="button primary" disabled=${n.frozen||!s} onClick=${()=>n.send({})}>${t(a==="sending"?"form.sending":"webhook.test")}</button>`}
    ${a==="refused"&&i&&o`<${P} problem=${i} />`}
  </div>`}var G=(e,s)=>`${t(e)}: ${ae(s)}`;function Ut({webhook:e,changed:s}){let r=G("line.edit",e),n=g({name:"edit webhook "+e.id,method:"PATCH",path:"/webhooks/"+e.id,title:r,fields:me(e)});return v(n,()=>{s(n.answer),f(b(t("webhook.edited")))}),o`<section class="panel"><h2>${r}</h2>
    <${S} form=${n} submit=${t("save")} ready=${pe(n.fields)} onSubmit=${()=>n.send(ce(n.fields))} onClose=${()=>f()}>
      <${de} form=${n} />
    <//>
  </section>`}function gt({webhook:e,changed:s,sent:r}){let n=e.enabled?"webhook.disable":"webhook.enable",a=G(n,e);return o`<${z} name=${`${n} ${e.id}`} method="PATCH" path=${"/webhooks/"+e.id} title=${a} meaning=${t(n+"-meaning")} submit=${t(n)}
    body=${{enabled:!e.enabled}} then=${i=>{f(b(t(n+"-done"))),s(i),e.enabled||r()}} />`}var Xt=[24,72,168,0];function Vt({webhook:e}){let s=G("webhook.rotate",e),r=g({name:"rotate "+e.id,method:"POST",path:`/webhooks/${e.id}/rotate`,title:s,place:`/webhooks/${e.id}?do=rotate`,fields:{overlap_hours:24}});return v(r,()=>{let{secret:n,previous_expires_at:a}=r.answer;M.set({of:"webhook "+e.id,secret:n}),f(b(a?t("webhook.rotated-until",{at:u(a)}):t("webhook.rotated")))}),o`<section class="panel"><h2>${s}</h2>
    <${S} form=${r} submit=${t("webhook.rotate")} onSubmit=${()=>r.send(r.fields)} onClose=${()=>f()}>
      <p>${t("webhook.rotate-meaning")}</p>
      <${X} form=${r} name="overlap_hours" label=${t("webhook.overlap")} of=${Xt.map(n=>[n,n?t("period.day",{n:n/24}):t("webhook.overlap-none")])} />
    <//>
  </section>`}var Yt=36e5;async function Zt(e,{hours:s,...r},n){let a=new Date(F()-s*Yt).toISOString(),i=0,l=0,m="",$="";for(let c=0;$!==null&&c<Be;c++){let{data:d,next_cursor:T}=await j("GET",e,{query:{...r,order:"desc",limit:500,cursor:$},signal:n}),k=d.filter(R=>R.timestamp>=a);i+=k.length,k.length&&({seq:l,timestamp:m}=k[k.length-1]),$=k.length<d.length?null:T}return{n:i,seq:l,at:m}}function es({webhook:e,sent:s}){let r=G("webhook.replay",e),n=g({name:"replay "+e.id,method:"POST",path:`/webhooks/${e.id}/replay`,title:r,fields:{from:"1",number:""}}),{from:a,number:i}=n.fields,l=a==="entry",m=y(l?null:"/events",{hours:a,type:e.types.includes("*")?[]:e.types,account:e.scope==="own"?w().id:""},Zt),$=l?/^[1-9]\d{0,14}$/.test(Q(i))&&Number(Q(i)):m.value?.seq;return v(n,()=>{f(b(t("webhook.replayed"))),s()}),o`<section class="panel"><h2>${r}</h2>
    <${S} form=${n} submit=${t("webhook.replay")} ready=${!!$} onSubmit=${()=>n.send({after_seq:Number($)-1})} onClose=${()=>f()}>
      <p>${t("webhook.replay-meaning")}</p>
      <${X} form=${n} name="from" label=${t("webhook.replay-from")} of=${["1","24","168","entry"].map(c=>[c,t("webhook.replay."+c)])} />
      ${l?o`<${x} form=${n} name="number" label=${t("webhook.replay-number")} hint=${t("webhook.replay-hint")} inputmode="numeric" maxlength="15" required />`:o`<${h} of=${m}>${({n:c,at:d})=>o`<p role="status">${c?t("webhook.replay-count",{n:c,at:u(d)}):t("webhook.replay-nothing")}</p>`}<//>`}
    <//>
  </section>`}var ts=({webhook:e})=>o`<${z} name=${"delete webhook "+e.id} method="DELETE" path=${"/webhooks/"+e.id} title=${G("line.delete",e)}
  meaning=${t("webhook.delete-meaning")} submit=${t("line.delete")} danger then=${()=>ee("/webhooks",b(t("webhook.deleted",{host:ae(e)})))} />`;var xt=["read_only","support","cashier","manager"],vt=["lines:read","lines:passwords","lines:write","lines:spend","lines:delete","users:read","users:write","credits:move","ledger:read","events:read","entitlements:read","manage"],kt=(e,s)=>L(`${e}.${s}`)?t(`${e}.${s}`):s,we=e=>e.role?kt("rights",e.role):e.scopes.map(s=>kt("scope",s)).join("; "),Ce=e=>L(`rights.${e}-means`)?t(`rights.${e}-means`):"",qe=({spend_limit:e,spent:s})=>e?t("limit.spent",{spent:ke(s),limit:ze(e.credits)}):t("limit.none"),De=({last_used_at:e,last_used_address:s})=>e?t("key.used",{at:u(e),address:s||""}):t("key.unused");function Re({one:{expires_at:e}}){let s=!e||new Date(e).getTime()>F();return o`<${B} good=${s}>${t("line.state."+(s?"active":"expired"))}<//>`}var ye=e=>new Date(new Date(e).getTime()-new Date(e).getTimezoneOffset()*6e4).toISOString().slice(0,10),Ee=(e,s)=>({...e==="key"?{name:s?.name||"",expires_at:s?.expires_at?ye(s.expires_at):"",allowed_addresses:s?.allowed_addresses.join(`
`)||""}:{username:s?.username||"",...s?{}:{password:""}},role:s?s.role||"":xt[0],scopes:s?.scopes||[],credits:s?.spend_limit?ke(s.spend_limit.credits):""});function Pe({role:e,scopes:s,credits:r,expires_at:n,allowed_addresses:a,...i},l){let{amount:m}=K(r);return{...i,...e?{role:e}:{scopes:s},spend_limit:m?{credits:m,per:"day"}:null,...a===void 0?{}:{allowed_addresses:Q(a).split(/[\s,;]+/).filter(Boolean),expires_at:n?l?.expires_at&&ye(l.expires_at)===n?l.expires_at:new Date(n+"T23:59:59").toISOString():null}}}var Ae=({role:e,scopes:s})=>!!e||s.length>0;function je({form:e,kind:s,...r}){let{fields:n}=e,a=(i,l)=>e.set({scopes:vt.filter(m=>m===i?l:n.scopes.includes(m))});return o`
    ${s==="key"?o`<${x} form=${e} name="name" label=${t("key.name")} hint=${t("key.name-hint")} maxlength="64" required />`:o`<${x} form=${e} name="username" label=${t("username")} hint=${t("staff.username-hint")} maxlength="64" required />
        ${"password"in n&&o`<${x} form=${e} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />`}`}
    <${X} form=${e} name="role" label=${t("rights")} of=${[...xt,""].map(i=>[i,t("rights."+(i||"own")),Ce(i||"own")])} />
    ${!n.role&&o`<fieldset class="choice few" disabled=${e.frozen} aria-label=${t("rights.own")}>
      ${!n.scopes.length&&o`<p class="quiet">${t("webhook.choose")}</p>`}
      ${vt.filter(W).map(i=>o`<label key=${i}>
        <input type="checkbox" value=${i} checked=${n.scopes.includes(i)} onChange=${l=>a(i,l.target.checked)} />
        <span>${t("scope."+i)}</span></label>`)}
    </fieldset>`}
    <${Je} form=${e} typed=${K(n.credits)} label=${t("limit")} hint=${t("limit.hint")} required=${!1} />
    ${s==="key"&&o`
      <${x} form=${e} name="expires_at" label=${t("key.expires")} hint=${t("key.expires-hint")} type="date" max="9999-12-31" ...${r} />
      <${x} form=${e} name="allowed_addresses" label=${t("key.addresses")} hint=${t("key.addresses-hint")} kind="textarea" rows="2" maxlength="2500" />`}`}function ss(){let{query:e}=C.use(),s=e.get("do")||"",r=N("/auth/session"),n={password:at,name:!w().staff&&os,totp:$t,"no-totp":mt},a=Object.hasOwn(n,s)&&n[s];return a?o`<${p} title=${t("nav.sessions")}><${a} of=${r} /><//>`:o`<${p} title=${t("nav.sessions")}>
    <div class="buttons"><button type="button" class="button" onClick=${()=>A("password")}>${t("password.change")}</button>
      ${!w().staff&&o`<button type="button" class="button" onClick=${()=>A("name")}>${t("name.change")}</button>`}</div>
    <${h} of=${r}>${i=>o`<${lt} on=${i.totp} /><${ns} />`}<//>
  <//>`}function os(){let e=y("/users/logged");return o`<${h} of=${e}>${s=>o`<${it} account=${s} />`}<//>`}function ns(){let e=y("/auth/sessions");return o`<h2>${t("sessions")}</h2><p>${t(w().staff?"sessions.own-meaning":"sessions.meaning")}</p><${Le} of=${e} />`}function Le({of:e,name:s}){return o`<${h} of=${e}>${r=>{let n=r.filter(a=>!s||a.staff===s);return n.length?o`<ul class="rows">${n.map(a=>o`<li key=${a.id}><${rs} session=${a} ended=${e.reload} /></li>`)}</ul>`:o`<p class="quiet">${t("sessions.none")}</p>`}}<//>`}function rs({session:e,ended:s}){let[r,n]=_(null),[a,i]=_(!1),l=async()=>{i(!0),n(null);try{await j("DELETE","/auth/sessions/"+e.id),s()}catch(m){m.status===404?s():n(m),i(!1)}};return o`<div class="row session">
    <span class="name">${as(e.device)}${e.staff&&e.staff!==w().staff?.username&&o` · ${e.staff}`}${e.current&&o` <${B} good badge>${t("sessions.this")}<//>`}</span>
    <span class="quiet">${t("sessions.used",{at:u(e.last_used_at),address:e.address})}</span>
    <span class="quiet">${t("sessions.since",{at:u(e.created_at)})}</span>
    ${!e.current&&o`<button type="button" class="button" disabled=${a} onClick=${l}>${t("sessions.end")}</button>`}
    ${r&&o`<${P} problem=${r} retry=${l} />`}
  </div>`}function as(e){let s=[[/Edg(e|A|iOS)?\//,"Edge"],[/OPR\//,"Opera"],[/SamsungBrowser\//,"Samsung Internet"],[/Firefox\/|FxiOS\//,"Firefox"],[/Chrom(e|ium)\/|CriOS\//,"Chrome"],[/Safari\//,"Safari"]].find(([n])=>n.test(e))?.[1],r=[[/Android/,"Android"],[/iPhone|iPad/,"iOS"],[/Windows/,"Windows"],[/Mac OS X/,"macOS"],[/CrOS/,"ChromeOS"],[/Linux/,"Linux"]].find(([n])=>n.test(e))?.[1];return[s,r].filter(Boolean).join(" · ")||e||t("sessions.unknown")}var is=100,O={key:"/keys",staff:"/staff"},H=e=>e.name||e.username,ls=()=>o`<${St} kind="key" />`,$s=()=>o`<${St} kind="staff" />`,ms=({id:e})=>o`<${_t} kind="key" id=${e} />`,cs=({id:e})=>o`<${_t} kind="staff" id=${e} />`;function St({kind:e}){let{query:s}=C.use();return s.get("do")==="create"?o`<${ds} kind=${e} />`:o`<${ue} path=${O[e]} title=${t("nav."+O[e].slice(1))} meaning=${t(e+".meaning")} add=${t(e+".new")} most=${is}
    full=${t("problem.too-many-principals")} empty=${t(e+".none")} row=${r=>o`<${ps} kind=${e} one=${r} />`} />`}var ps=({kind:e,one:s})=>o`<${E} class="row principal" to=${`${O[e]}/${s.id}`} data-row>
  <span class="name" translate=${!1}>${H(s)}</span>
  <span>${e==="key"&&o`<${Re} one=${s} />`}</span>
  <span>${we(s)}</span>
  <span class="quiet">${s.expires_at&&o`${t("event.until",{until:u(s.expires_at)})} · `}${qe(s)} · ${De(s)}</span>
<//>`;function ds({kind:e}){let s=g({name:e,method:"POST",path:O[e],title:t(e+".new"),place:O[e]+"?do=create",secret:["password"],fields:{...Ee(e),...e==="staff"&&{password:nt()}}}),{fields:r,answer:n}=s;return v(s,()=>{M.set({of:`${e} ${n.id}`,secret:n.key||r.password}),Z(`${O[e]}/${n.id}`,{replace:!0,state:b(t(e+".created",{name:H(n)}))})}),o`<${p} title=${t(e+".new")} up=${O[e]}><section class="panel">
    <${S} form=${s} submit=${t("reseller.create")} ready=${Ae(r)} unclear=${!!K(r.credits).wrong} onSubmit=${()=>s.send(Pe(r))} onClose=${()=>f()}>
      <${je} form=${s} kind=${e} min=${ye(F())} />
    <//>
  </section><//>`}function _t({kind:e,id:s}){let{query:r}=C.use(),n=N(`${O[e]}/${s}`);return he(),o`<${p} title=${n.value?H(n.value):t("nav."+O[e].slice(1))} named=${n.value} up=${O[e]}>
    <${h} of=${n}>${a=>o`<${us} kind=${e} one=${a} doing=${r.get("do")||""} changed=${n.set} />`}<//>
  <//>`}function us({kind:e,one:s,doing:r,changed:n}){let a={edit:hs,remove:ys,...e==="staff"?{password:bs,totp:ws}:{}},i=Object.hasOwn(a,r)&&a[r];if(i)return o`<${i} key=${r} kind=${e} one=${s} changed=${n} />`;let l=(m,$,c="")=>o`<button type="button" class=${"button "+c} onClick=${()=>A(m)}>${t($)}</button>`;return o`
    ${e==="staff"?o`<${rt} of=${"staff "+s.id} name=${s.username} />`:o`<${fe} of=${"key "+s.id} title=${t("key.secret")} meaning=${t("key.secret-once")} copy=${t("key.secret-copy")} /><p class="glance"><${Re} one=${s} /></p>`}
    <div class="buttons">
      ${l("edit","line.edit")}
      ${e==="staff"&&o`${l("password","password.new")}${l("totp","reseller.totp")}`}
      ${l("remove",e+".remove","danger-plain")}
    </div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${q} of=${[[t("rights"),s.role?o`<strong>${we(s)}</strong>. ${Ce(s.role)}`:we(s)],[t("limit"),qe(s)],[t("key.expires"),e==="key"?s.expires_at?o`<${He} at=${s.expires_at} />`:t("key.never"):null],[t("key.addresses"),e==="key"?s.allowed_addresses.join(", ")||t("key.anywhere"):null],[t("key.last"),De(s)],[t("line.id"),s.id],[t("created"),u(s.created_at)]]} />
    </section>
    ${e==="staff"&&!w().staff&&o`<${fs} name=${s.username} />`}`}function fs({name:e}){let s=y("/auth/sessions");return o`<section class="panel"><h2>${t("sessions")}</h2><${Le} of=${s} name=${e} /></section>`}var ge=(e,s)=>`${t(e)}: ${H(s)}`;function hs({kind:e,one:s,changed:r}){let n=ge("line.edit",s),a=g({name:`edit ${e} ${s.id}`,method:"PATCH",path:`${O[e]}/${s.id}`,title:n,fields:Ee(e,s)}),{fields:i,answer:l}=a;return v(a,()=>{f(b(t("reseller.contact-done",{name:H(l)}))),r(l)}),o`<section class="panel"><h2>${n}</h2>
    <${S} form=${a} submit=${t("save")} ready=${Ae(i)} unclear=${!!K(i.credits).wrong} onSubmit=${()=>a.send(Pe(i,s))} onClose=${()=>f()}>
      <${je} form=${a} kind=${e} />
    <//>
  </section>`}function bs({one:e}){let s=ge("password.new",e),r=g({name:"password of staff "+e.id,method:"PATCH",path:"/staff/"+e.id,title:s,secret:["password"],fields:{password:""}});return v(r,()=>f(b(t("staff.password-done",{name:e.username})))),o`<section class="panel"><h2>${s}</h2>
    <${S} form=${r} submit=${t("save")} onSubmit=${()=>r.send(r.fields)} onClose=${()=>f()}>
      <p>${t("staff.password-meaning")}</p>
      <${x} form=${r} name="password" label=${t("password.new")} hint=${t("reseller.password-hint")} minlength="6" maxlength="128" required />
    <//>
  </section>`}var ws=({one:e})=>o`<${z} name=${"totp of staff "+e.id} method="DELETE" path=${`/staff/${e.id}/totp`} title=${ge("reseller.totp",e)}
  meaning=${t("reseller.totp-meaning")} submit=${t("reseller.totp")} danger then=${()=>f(b(t("reseller.totp-done",{name:e.username})))} />`,ys=({kind:e,one:s})=>o`<${z} name=${`remove ${e} ${s.id}`} method="DELETE" path=${`${O[e]}/${s.id}`} title=${ge(e+".remove",s)}
  meaning=${t(e+".remove-meaning")} submit=${t(e+".remove")} danger then=${()=>ee(O[e],b(t(e+".removed",{name:H(s)})))} />`;var Ot=["whatsapp","telegram"];function gs(){let e=y(`/users/${w().id}/messages`),[s,r]=_(0),n=a=>{e.set(a),ot(a),r(s+1),Ke(b(t("messages.saved")))};return o`<${p} title=${t("nav.messages")}>
    <p>${t(w().is_admin?"messages.meaning-top":"messages.meaning")}</p>
    <${h} of=${e}>${a=>W("users:write")?o`<${ks} key=${s} messages=${a} saved=${n} />`:o`<${vs} messages=${a} />`}<//>
  <//>`}var Tt=e=>{let s={access:30,reminder:3,expired:-1,welcome:30}[e]||30;return{username:"maria.tv",password:"7Kd92x",expDate:new Date(F()+s*864e5).toISOString()}},Ft=({text:e})=>o`<p class="bubble text" translate=${!1} data-message>${e}</p>`,vs=({messages:e})=>o`
  <section class="panel"><h2>${t("messages.where")}</h2>
    <${q} of=${["server","apps"].map(s=>[t("messages."+s),o`<span class="text">${re(s,e)||t("messages.none")}</span>`])} />
  </section>
  <div class="panels">${V.map(s=>o`<section class="panel" key=${s}><h2>${t("messages."+s)}</h2>
    <${Ft} text=${Te(re(s,e),Tt(s),e)} /></section>`)}</div>`;function ks({messages:e,saved:s}){let r=["server","apps",...V,...Ot],n=Object.fromEntries(r.map($=>[$,Ot.includes($)?"":e.inherited[$]||(V.includes($)?t("message.default."+$):"")])),a=g({name:"messages",method:"PUT",path:`/users/${w().id}/messages`,title:t("nav.messages"),fields:Object.fromEntries(r.map($=>[$,e[$]||n[$]]))}),{fields:i}=a;v(a,()=>s(a.answer));let l=Object.fromEntries(r.map($=>{let c=($==="server"?i[$].replace(/\s+/g," "):i[$]).trim();return[$,c===n[$].trim()?null:c||null]})),m={...l,inherited:e.inherited};return o`<${S} form=${a} submit=${t("save")} onSubmit=${()=>a.send(l)}>
    <section class="panel"><h2>${t("messages.where")}</h2>
      <${We} form=${a} name="server" above=${n.server} hint=${t("messages.server.hint")} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${We} form=${a} name="apps" above=${n.apps} hint=${t("messages.apps.hint")} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${V.map($=>o`<section class="panel template" key=${$}>
      <div>
        <${We} form=${a} name=${$} above=${n[$]}
          standard=${!e.inherited[$]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${t("messages.insert")}>${st.map(c=>o`<button type="button" class="button" key=${c} disabled=${a.frozen}
          onClick=${d=>xs(a,$,`{${c}}`,d.currentTarget)}><${D} name="plus" />${t("messages.put."+c)}</button>`)}</div>
      </div>
      <div><p class="quiet">${t("messages.preview")}</p><${Ft} text=${Te(re($,m),Tt($),m)} /></div>
    </section>`)}
    ${te.haveBelow()&&o`<section class="panel"><h2>${t("messages.reach")}</h2><p>${t("messages.reach.meaning")}</p>
      <${x} form=${a} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
      <${x} form=${a} name="telegram" label=${t("telegram")} hint=${t("messages.telegram.hint")} maxlength="64" />
    </section>`}
  <//>`}var We=({form:e,name:s,above:r,standard:n=!1,...a})=>o`
  <${x} form=${e} name=${s} label=${t("messages."+s)} placeholder=${r} ...${a} />
  ${!!r&&(e.fields[s].trim()!==r.trim()?o`<button type="button" class="button link" disabled=${e.frozen} onClick=${()=>e.set({[s]:r})}><${D} name="rotate-cw" />${t(n?"messages.use-standard":"messages.use-above")}</button>`:o`<p class="from"><span class="badge">${t(n?"messages.is-standard":"messages.is-above")}</span></p>`)}`;function xs(e,s,r,n){let a=n.closest(".template")?.querySelector("textarea"),{value:i,selectionStart:l,selectionEnd:m}=a;e.set({[s]:i.slice(0,l)+r+i.slice(m)}),setTimeout(()=>{a.focus(),a.setSelectionRange(l+r.length,l+r.length)})}function Ss(){let e=y("/prices");return o`<${p} title=${t("nav.prices")}>
    <${h} of=${e}>${({prices:s})=>o`<section class="panel">
      <${q} of=${s.map(r=>[et(r.period),o`<${se} of=${r.credits} />`])} /></section>`}<//>
  <//>`}export{At as Activity,Dt as Job,qt as Jobs,ls as Keys,cs as Member,gs as Messages,ms as OneKey,Ht as OneWebhook,Ss as Prices,Ct as Proof,ss as Sessions,$s as Staff,Lt as Webhooks};
//# sourceMappingURL=rare.js.map
