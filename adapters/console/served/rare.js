import{$b as $e,A as se,Aa as Te,Ab as is,Ac as he,B as oe,Ba as q,Bb as st,Bc as Os,Ca as V,Cb as cs,D as I,Dc as _s,Ea as A,Ec as Ts,Fa as Ut,Fc as Be,Ga as Kt,Gb as ot,Gc as lt,H as t,Ha as X,Hc as Cs,I as ne,Ic as fo,K as g,L as Pt,Lc as Fs,Mc as Ue,Na as L,Nc as it,Oc as qs,Pc as Ds,Qa as zt,Qb as $s,Rb as ms,Rc as Rs,Sa as le,T as C,Tb as us,U as W,Ub as ps,V as Oe,Vb as nt,W as de,Wb as ds,X as k,Xb as fs,Y as At,Ya as Ht,Yb as De,Z as It,Za as D,Zb as ce,_a as R,_b as Re,ac as Y,bb as ie,bc as bs,bd as Es,c as w,ca as _e,cb as Gt,cc as hs,d as U,da as Lt,db as O,dc as Ee,e as Ft,ea as F,ec as gs,f as te,fb as Qt,fc as ys,ga as H,gb as Jt,gc as rt,gd as Ps,h as ve,ha as jt,hb as Yt,hc as at,i as o,ia as Mt,ib as Ce,id as As,ja as fe,jb as Vt,k as qt,ka as Ze,kb as Xt,kc as ws,l as Dt,la as Wt,lb as Fe,lc as vs,m as E,mb as Zt,mc as Pe,n as ke,nb as es,nc as Ae,oc as Ie,p as z,pa as h,pb as ts,pc as Le,q as Rt,qa as x,qc as be,r as Et,ra as re,rb as ss,rc as je,s as _,sa as Nt,sb as os,sc as Me,t as xe,ta as ae,tb as ns,tc as We,u as Se,ua as P,ub as rs,uc as Ne,v as M,va as y,vb as as,vc as ks,w as v,wb as et,xa as Bt,xb as ls,ya as J,yb as qe,yc as xs,za as S,zb as tt,zc as Ss}from"./chunk.js";var ct=["month","last","dates"],ye=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(s=>String(s).padStart(2,"0")).join("-"),ge=(e,s)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+s);function Is(e){let[,s,r,n]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return s?new Date(Number(s),Number(r)-1,Number(n)):void 0}function Ls(e,s){let r=ct.find(c=>c===e.get("period"))||"month",n=ge(new Date(s),0),a=c=>new Date(n.getFullYear(),n.getMonth()+c,1);if(r==="last")return{which:r,from:a(-1),to:a(0),last:ge(a(0),-1)};if(r==="month")return{which:r,from:a(0),to:a(1),last:n};let[i,l]=[Is(e.get("from"))||a(0),Is(e.get("to"))||n].sort((c,$)=>c.getTime()-$.getTime());return{which:r,from:i,to:ge(l,1),last:l}}function js(e){let s=0n,r=0n;for(let{amount:n}of e)n.startsWith("-")?r-=fe(n):s+=fe(n);return{came:Ze(s),went:Ze(r)}}function Ms(e,s,{from:r,last:n}){let a=[],i=s,l=e.length-1;for(let c=r;c<=n;c=ge(c,1)){for(let $=ge(c,1);l>=0&&new Date(e[l].at)<$;l--)i=e[l].balance;a.push({day:c,balance:i})}return a}async function bo(e,s,r){let n=[];for(let a="";;){let{data:i,next_cursor:l,opening:c,closing:$}=await z("GET",e,{query:{...s,limit:500,cursor:a},signal:r});if(n.push(...i),l===null)return{entries:n,opening:c,closing:$};a=l}}function $t(e){let{query:s}=_.use(),r=Ls(s,E()),n={from:r.from.toISOString(),to:r.to.toISOString()},a=`/users/${e.id}/ledger`,i=y(a,n,bo),l=i.value,c=It(r.from,r.last),$=!e.is_admin&&o`<${ho} of=${l} />`,m=d=>oe({period:d==="month"?"":d,from:"",to:"",...d==="dates"&&{from:ye(r.from),to:ye(r.last)}}),p=(d,f)=>o`<label class="field">${t("statement."+d)}<input class="input" type="date" name=${d} required
    value=${ye(f)} max=${ye(new Date(E()))} onChange=${b=>{b.target.value&&oe({[d]:b.target.value})}} /></label>`;return{actions:o`<button type="button" class="button ghost print" disabled=${!l} onClick=${()=>print()}><${h} name="printer" /><span>${t("print")}</span></button>
      <${Ps} of="ledger" query=${{account:e.id,...n}} label=${t("statement.csv")} look="button" />`,shown:o`<div class="statement">
      <${vs} title=${t("print.statement",{name:e.username})} more=${()=>o`<p>${c}</p>
        ${l?o`${$}<table class="table ledger"><thead>${rt()}</thead><tbody>${l.entries.map(at)}</tbody></table>`:t("list.loading")}`} />
      <div class="period">
        <div class="seg" role="group" aria-label=${t("statement.period")}>
          ${ct.map(d=>o`<button key=${d} type="button" aria-pressed=${d===r.which} onClick=${()=>m(d)}>${t("statement."+d)}</button>`)}
        </div>
        <p class="quiet" role="status">${c}</p>
        ${r.which==="dates"&&o`<div class="dates">${p("from",r.from)}${p("to",r.last)}</div>`}
      </div>
      ${i.problem&&o`<${P} problem=${i.problem} retry=${i.reload} />`}
      ${$&&o`${$}<${ws} days=${l&&Ms(l.entries,l.opening,r)} />`}
      <${le} path=${a} query=${n} row=${at} head=${rt()} look="dense ledger"
        count=${d=>t("statement.count",{n:d,count:F(d)})} label=${t("nav.statement")} empty=${t("statement.none")} />
    </div>`}}function Ws({account:e}){let{actions:s,shown:r}=$t(e);return o`<div class="head"><h2>${t("nav.statement")}</h2><div class="actions">${s}</div></div>${r}`}function ho({of:e}){let{came:s,went:r}=js(e?e.entries:[]),n=i=>fe(i)?jt(i):"0",a=[[t("statement.opening"),e&&H(e.opening)],[t("statement.in"),n(s)],[t("statement.out"),n("-"+r)],[t("statement.closing"),e&&H(e.closing)]];return o`<dl class="sums panel" aria-busy=${!e}>${a.map(([i,l])=>o`<div key=${i}><dt>${i}</dt><dd>${e?l:"…"}</dd></div>`)}</dl>`}function me(e){let s=e.id===g().id;return{mine:s,write:C("users:write"),moves:W.manage(e,"credits:move"),blocks:W.manage(e,"users:write"),resets:W.manage(e,"manage"),held:C("users:read")&&(s?!e.is_admin:W.manage(e,""))}}function go({id:e}){let{query:s}=_.use(),r=J(`/users/${e}`),n=r.value,[a,i]=w(0),l=$s(n&&me(n).held?n.id:null),c=s.get("do")||"",$=n&&yo(n,c),m=n&&me(n).moves&&/^(topup|reclaim)$/.test(c),p=d=>{if(i(a+1),m)return v(d);se(d),r.reload()};return $e(),o`<${x} title=${n?.username||t("reseller.title")} named=${n} up="/resellers" actions=${n&&!$&&o`<${wo} reseller=${n} />`}>
    <${S} of=${r}>${()=>$?o`<${$} reseller=${n} alerts=${l} />`:o`<${vo} reseller=${n} alerts=${l} turn=${a} />`}<//>
    ${m?o`<${Xt} key=${c} reseller=${n} name=${c} onClose=${d=>d?p(d):v()} />`:o`<${Vt} then=${p} />`}
  <//>`}function yo(e,s){let{write:r,held:n,blocks:a,resets:i}=me(e),l={block:a&&!e.block_reseller&&_o,unblock:a&&e.block_reseller&&Co,contact:r&&Ns,password:r&&Ns,alert:n&&r&&qo,totp:i&&Fo};return Object.hasOwn(l,s)&&l[s]}function wo({reseller:e}){let{mine:s,write:r,moves:n,held:a,resets:i}=me(e),l=(c,$,m)=>o`<button type="button" onClick=${()=>M(c)}><${h} name=${$} />${m}</button>`;return o`${n&&o`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>Ce.set({reseller:e,name:"topup"})}><${h} name="plus" />${t("reseller.topup")}</button>`}
    ${r&&o`<button type="button" class="button" onClick=${()=>M("contact")}>${t("reseller.contact")}</button>`}
    ${(n||s||a&&r||i)&&o`<${zt} label=${t("more-about",{name:e.username})} look="button only">
      ${n&&o`<button type="button" onClick=${()=>Ce.set({reseller:e,name:"reclaim"})}><${h} name="coins" />${t("reseller.reclaim")}</button>`}
      ${a&&r&&l("alert","bell",t("alert"))}
      ${s&&o`<${I} to="/sessions"><${h} name="shield-check" />${t("nav.sessions")}<//>`}
      ${i&&o`<hr />${l("totp","shield-x",t("reseller.totp")+"…")}`}<//>`}`}function vo({reseller:e,alerts:s,turn:r}){let{moves:n,blocks:a,mine:i,held:l}=me(e),{id:c,username:$}=e,m={account:c},p=ds(m),d=e.is_admin?"admin":e.is_master?"master":"reseller",f=s.value?.balance_low,b=ts(e,f),K=!C("events:read")||p.value||p.problem;return o`
    <p class="glance"><span class="badge"><${h} name="store" />${t("role."+d)}</span>${!e.active_tree&&o`<${ss} reseller=${e} badge />`}<span class="quiet">${t("reseller.since",{date:At(e.createdAt)})}</span></p>
    <${Ee} of=${"reseller "+c} name=${$} number=${Fe(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&o`<section class="panel"><h2>${t("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${X} of=${e.credits} /></p>
            ${l&&!i&&o`<p class="low">${b&&o`<${h} name="trending-down" />${t(f?"reseller.low-alert":"home.low",{amount:H(b)})}`}</p>`}</div>
          ${n&&o`<div class="adds" role="group" aria-label=${t("reseller.topup")}>${Yt.map(T=>o`<button key=${T} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${T}
            onClick=${()=>Ce.set({reseller:e,name:"topup",amount:T})}>+${T}</button>`)}</div>`}</div></section>`}
        ${C("lines:read")&&o`<${xo} reseller=${e} />`}
        ${K?o`${!!(e.is_master||e.is_admin)&&o`<section class="panel"><h2>${t("reseller.below")}</h2><${os} key=${r} master=${c} /></section>`}<${fs} of=${m} latest=${p} />`:o`<${Te} />`}
      </div>
      ${K&&o`<div class="stack">
        ${e.block&&o`<section class="panel"><h2>${t("reseller.blocked")}</h2><${Bs} of=${e.block} /></section>`}
        <section class="panel"><h2>${t("line.record")}</h2><${L} of=${[[t("reseller.role"),t("role."+d)],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),Wt(e.country)],[t("notes"),e.notes&&o`<span class="text">${e.notes}</span>`],[t("reseller.master"),e.master&&!i?o`<${So} id=${e.master} />`:null],[t("alert.field"),s.value?f?o`<${X} of=${f} />`:t("alert.none"):l&&!s.problem?"…":null],[t("reseller.recharged"),e.is_admin?null:k(e.recharge)],[t("line.id"),c],[t("created"),k(e.createdAt)],[t("changed"),k(e.updatedAt)]]} /></section>
        ${a&&o`<section class="panel"><h2>${t(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${t(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?o`<button type="button" class="button" onClick=${()=>M("unblock")}><${h} name="lock-open" />${t("reseller.unblock-title",{name:$})}</button>`:o`<button type="button" class="button danger-plain" onClick=${()=>M("block")}><${h} name="lock" />${t("reseller.block-title",{name:$})}…</button>`}</section>`}
      </div>`}
    </div>
    ${K&&C("ledger:read")&&o`<${Ws} key=${r} account=${e} />`}`}var ko=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function xo({reseller:{id:e}}){let{value:s,problem:r,reload:n}=y("/reports/summary",{account:e,days:1}),a=s?.lines,i=l=>"/lines?"+new URLSearchParams(As({owner:e,...l}));return o`<section class="panel"><header><h2>${t("nav.lines")}</h2><${I} class="button link" to=${i({})}>${t("home.all")}<//></header>
    ${r&&o`<${P} problem=${r} retry=${n} />`}
    <ul class="tiles">${ko.map(([l,c,$])=>o`<li key=${l}><${I} class="tile" to=${i(ot[l][1])} data-count=${l}>
      <span class="figure">${a?F(a[ot[l][0]])+(a.capped?"+":""):" "}</span><span><${Nt} icon=${c} tone=${$}>${t("tabs."+l)}<//></span><//></li>`)}</ul>
  </section>`}function So({id:e}){let s=Ht(e);return e===g().id?s:o`<${I} to=${"/resellers/"+e}>${s||t("reseller.by-id",{id:e})}<//>`}var mt=({reseller:e,name:s,path:r="block",...n})=>o`<${Y} name=${`${s} ${e.id}`} path=${`/users/${e.id}/${r}`}
  title=${t(`reseller.${s}-title`,{name:e.username})} meaning=${t(`reseller.${s}-meaning`)} submit=${t("reseller."+s)} danger=${s!=="unblock"} ...${n}
  then=${()=>v(O(t(`reseller.${s}-done`,{name:e.username}),s==="block"?{undo:Oo(e)}:{}))} />`,Oo=({id:e,username:s})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:t("reseller.unblock-title",{name:s}),said:t("reseller.unblock-done",{name:s})}),Bs=({of:{lines:e,reason:s,at:r}})=>o`<${L} of=${[[t("nav.lines"),t("block."+e)],[t("block.since"),r&&k(r)],[t("reason"),s&&o`<span class="text">${s}</span>`]]} />`;function _o(e){let{id:s,username:r}=e.reseller,n=C("lines:read"),a=y(n?"/reports/summary":null,{tree:s,days:1});return o`<${mt} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${i=>o`
    <${V} form=${i} name="lines" label=${t("block.lines")} of=${["run","suspend"].map(l=>[l,t("block."+l),t(`block.${l}-means`)])} />
    ${n&&i.fields.lines==="suspend"&&o`<${S} of=${a}>${To}<//>`}
    <${bs} form=${i} name=${r} />`}<//>`}function To({lines:{running:e,trials:s,capped:r}}){let n=e+s,a=F(n);return o`<p role="status" data-stops=${n}><strong>${t("block.stops",{n,lines:r?t("at-least",{n:a}):a})}</strong></p>`}var Co=({reseller:e})=>o`<${mt} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&o`${e.block.lines==="suspend"&&o`<p>${t("block.over")}</p>`}<${Bs} of=${e.block} />`}<//>`,Fo=e=>o`<${mt} ...${e} name="totp" method="DELETE" path="totp" />`;function Ns({reseller:e}){let s=t("reseller.contact-title",{name:e.username}),{mine:r}=me(e),n=_.get().query.get("do")==="password",a=D({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:s,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:i,password:l},answer:c}=a;R(a,()=>v(O(t(l?"password.changed":"reseller.contact-done",{name:c.username}))));let $=()=>a.send({...ps(a.fields),...!r&&Oe(i)!==e.username&&{username:i},...!r&&l&&{password:l}});return o`<section class="panel"><h2>${s}</h2>
    <${A} form=${a} submit=${t("save")} onSubmit=${$} onClose=${()=>v()}>
      <${us} form=${a} />
      ${!r&&o`<details open=${n||!!l||i!==e.username}><summary>${t("reseller.password")}</summary>
        <${q} form=${a} name="username" label=${t("username")} maxlength="64" required />
        <${q} form=${a} name="password" label=${t("password.new")} hint=${t("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var qo=({reseller:e,alerts:s})=>o`<${S} of=${s}>${r=>o`<${ms} account=${e} alerts=${r} changed=${s.set} />`}<//>`;function Do(){let{actions:e,shown:s}=$t(g());return o`<${x} title=${t("nav.statement")} actions=${e}>${s}<//>`}var ut=50,Ro=()=>o`<${x} title=${t("nav.jobs")}>
  <${le} path="/bulk" label=${t("nav.jobs")} empty=${t("job.none")} row=${e=>o`<${I} class="row job-row" to=${"/jobs/"+e.id} data-row>
    <span class="name">${qe(e)}</span><span class="quiet">${st(e)}</span><span class="quiet">${k(e.created_at)}</span><//>`} />
<//>`;function Eo({id:e}){let s=y(`/bulk/${e}`),r=et.use(),n=r?.id===Number(e)?r:s.value;return U(()=>{s.value?.status==="running"&&ls(s.value)},[s.value]),o`<${x} title=${n?qe(n):t("nav.jobs")} up="/lines">
    <${S} of=${n?{value:n}:s}>${a=>o`<${Po} job=${a} />
      <p><${I} to="/jobs">${t("job.all")}<//></p>`}<//>
  <//>`}function Po({job:e}){let s=e.status==="running",r=Es[e.action]||"lines:write";return o`<section class="panel" data-job=${e.status}>
    ${s&&o`<progress role="progressbar" max=${e.matched} value=${e.done} aria-valuenow=${e.done} aria-valuemin="0" aria-valuemax=${e.matched}
      aria-label=${qe(e)} aria-valuetext=${is(e)}></progress>`}
    <p class="glance" role=${s?void 0:"status"}>${st(e)}</p>
    ${s&&C(r)&&o`<${Ao} job=${e} />`}
    ${!s&&!e.dry_run&&o`<${L} of=${[[t("job.charged"),e.charged!=="0"&&o`<${X} of=${e.charged} />`],[t("job.left"),e.status==="stopped"&&tt(e.matched-e.done)],[t("job.began"),k(e.created_at)],[t("job.ended"),e.finished_at&&k(e.finished_at)]].filter(([,n])=>n)} />`}
  </section>
  ${!s&&!e.dry_run&&e.done>0&&o`<${Io} job=${e} />`}`}function Ao({job:e}){let s=D({name:"stop "+e.id,method:"DELETE",path:"/bulk/"+e.id,title:t("job.stop"),fields:{}});return R(s,()=>et.set(s.answer)),o`<${A} form=${s} danger submit=${t("job.stop")} onSubmit=${()=>s.send()} />`}function Io({job:{id:e,refused:s}}){let[r,n]=w(null),[a,i]=w(null),l=()=>{let c=new AbortController,$={},m=s;return i(null),Et(`/bulk/${e}/results`,({line:p,code:d,line_username:f})=>{if(!d)return!0;let b=$[d]||={n:0,lines:[]};return b.n++<ut&&b.lines.push({line:p,name:f||t("job.line",{id:p})}),--m>0},c.signal).then(()=>n($),p=>{c.signal.aborted||i(p)}),()=>c.abort()};return U(()=>s?l():void 0,[]),o`${s>0&&o`<section class="panel" aria-busy=${!r&&!a}><h2>${t("job.refused",{n:s,count:F(s)})}</h2>
    ${a&&o`<${P} problem=${a} retry=${l} />`}
    ${r&&Object.entries(r).map(([c,{n:$,lines:m}])=>o`<div key=${c} data-why=${c}>
      <p>${tt($)}: ${cs(c)}</p>
      <ul class="names">${m.map(({line:p,name:d})=>o`<li key=${p} class="name" translate=${!1}>${c==="not-found"?d:o`<${I} to=${"/lines/"+p}>${d}<//>`}</li>`)}${$>ut&&o`<li class="quiet">${t("job.more",{n:$-ut})}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${ke}/bulk/${e}/results`} download=${`job-${e}.ndjson`}><${h} name="download" />${t("job.save")}</a></div>`}var Us={lines:["line.*"],jobs:["bulk.*"],credits:["reseller.credited","reseller.reclaimed","line.activated","line.extended","balance.*"],accounts:["reseller.*","operator.*"],access:["session.*","token.*","password.*","totp.*"],keys:["key.*","staff.*"],webhooks:["webhook.*"]},Ks=["what","mine","line","account"];function Lo(){let{query:e}=_.use(),s=e.get("what")||"",r={type:Us[s],account:e.get("mine")?g().id:e.get("account"),line:e.get("line")},{from:n,entries:a,problem:i,reload:l}=ns(r),c=Ks.some(m=>e.get(m)),$=(m,p,d)=>o`
    <select aria-label=${p} value=${e.get(m)||""} onChange=${f=>oe({[m]:f.target.value})}>
      ${d.map(([f,b])=>o`<option key=${f} value=${f}>${b}</option>`)}
    </select>`;return o`<${x} title=${t("nav.activity")}>
    <div class="filters">
      ${$("what",t("activity.what"),[["",t("activity.all")],...Object.keys(Us).map(m=>[m,t("activity."+m)])])}
      ${W.haveBelow()&&$("mine",t("filter.whose"),[["",t("filter.everyone")],["1",t("filter.mine")]])}
      ${c&&o`<button type="button" class="button" onClick=${()=>oe(Object.fromEntries(Ks.map(m=>[m,""])))}>
        <${h} name="x" />${t("filter.clear")}</button>`}
    </div>
    <div aria-live="polite">
      ${a.length>0&&o`<ul class="rows" aria-label=${t("activity.new")}>${a.map(m=>o`<li key=${m.id}>${nt(m)}</li>`)}</ul>`}
    </div>
    ${n===null&&i&&o`<${P} problem=${i} retry=${l} />`}
    ${n!==null&&o`<${le} path="/events" query=${{...r,order:"desc"}} row=${m=>m.seq>n?null:nt(m)}
      label=${t("nav.activity")} lasting empty=${t(c?"activity.none-such":"activity.none")} />`}
  <//>`}var jo=10,zs=80;function Mo(){let{query:e}=_.use();return e.get("do")==="create"?o`<${Bo} />`:o`<${Wo} />`}var Wo=()=>o`<${De} path="/webhooks" title=${t("nav.webhooks")} meaning=${t("webhook.meaning")} add=${t("webhook.new")} most=${jo}
  full=${t("problem.too-many-webhooks")} empty=${t("webhook.none")} row=${e=>o`<${No} webhook=${e} />`} />`,No=({webhook:e})=>o`<${I} class="row webhook" to=${"/webhooks/"+e.id} data-row>
  <span class="name">${e.url.length>zs?e.url.slice(0,zs-1)+"…":e.url}${e.description&&o`<span class="notes quiet">${e.description}</span>`}</span>
  <${Le} webhook=${e} />
  <span class="quiet">${Ae(e)} · ${Ie(e)}</span>
  ${!e.enabled&&o`<span>${be(e).join(" ")}</span>`}
<//>`;function Bo(){let e=D({name:"webhook",method:"POST",path:"/webhooks",title:t("webhook.new"),place:"/webhooks?do=create",fields:je()}),{fields:s,answer:r}=e;return R(e,()=>{ce.set({of:"webhook "+r.id,secret:r.secret}),xe("/webhooks/"+r.id,{replace:!0,state:O(t("webhook.created"))})}),o`<${x} title=${t("webhook.new")} up="/webhooks"><section class="panel">
    <${A} form=${e} submit=${t("reseller.create")} ready=${We(s)} onSubmit=${()=>e.send(Me(s))} onClose=${()=>v()}>
      <${Ne} form=${e} />
    <//>
  </section><//>`}var Uo=1e3,Ko=25e3,Hs=10,Ke=e=>e?.find(({event:s})=>s.startsWith("test_")),zo=e=>e.replace(/.*_/,""),Gs=({error:e,cause:s})=>ne("delivery.tls."+s)?t("delivery.tls."+s):ne("delivery.why."+e)?t("delivery.why."+e):e,Qs=({of:{answer:e}})=>e&&o`<span class="text">${t("delivery.answer")} <bdi>${e}</bdi></span>`;function Js(e,s){let r=y(`/webhooks/${e}/deliveries`),[n,a]=w(null);U(()=>{if(!s||!n||n.over)return;let l=new AbortController;return i(l.signal),()=>l.abort()},[s,n]);let i=async l=>{for(let c=Date.now()+Ko;Date.now()<c;){if(await as(l,Uo),await rs(l),l.aborted)return;try{let $=await z("GET",`/webhooks/${e}/deliveries`,{signal:l});if(r.set($),n?.test&&Ke($.data)?.event!==n.before)break}catch{}}l.aborted||a(c=>c&&{...c,over:!0})};return{...r,test:n?.test&&Ke(r.value?.data)?.event!==n.before?Ke(r.value?.data):void 0,watched:n,watch:(l=!1)=>a({test:l,before:Ke(r.value?.data)?.event,over:!1})}}function Ys({of:{test:e,watched:s}}){return s?.test?e?e.error?o`<${re} tone="bad"><p>${t("webhook.test-failed",{why:Gs(e)})} <${Qs} of=${e} /></p><//>`:o`<${re} tone="good"><p>${t("webhook.test-arrived",{status:e.http_status,ms:F(e.duration_ms)})}</p><//>`:o`<${re} tone=${s.over?"unsure":"plain"}><p>${t(s.over?"webhook.test-late":"webhook.test-sent")}</p><//>`:null}function Vs({of:e,enabled:s,refresh:r}){let[n,a]=w(!1);return o`<section class="panel"><h2>${t("delivery.attempts")}</h2>
    <${S} of=${e}>${({data:i})=>o`
      ${i.length?o`<ul class="rows">${i.slice(0,n?i.length:Hs).map(l=>o`<li key=${l.event+l.attempt+l.at}>
        <${Go} of=${l} goesOn=${s&&i.find(({event:c})=>c===l.event)===l} /></li>`)}</ul>`:o`<p class="quiet">${t("delivery.none")}</p>`}
      <div class="buttons">
        ${i.length>Hs&&!n&&o`<button type="button" class="button" onClick=${()=>a(!0)}>${t("home.all")}</button>`}
        <button type="button" class="button" disabled=${e.loading} onClick=${r}><${h} name="rotate-cw" />${t("list.refresh")}</button>
      </div>`}<//>
  </section>`}var Ho=e=>e&&Date.parse(e)>E()&&(Date.parse(e)<E()+6e4?t("delivery.soon"):t("delivery.next",{at:Lt(e)}));function Go({of:e,goesOn:s}){let r=[e.http_status&&t("delivery.status",{status:e.http_status}),F(e.duration_ms)+" ms",e.attempt>1&&t("delivery.attempt",{n:e.attempt}),s&&Ho(e.next_attempt_at)];return o`<div class="row delivery">
    <span class="name">${t(e.event.startsWith("test_")?"delivery.test":"delivery.entry",{n:zo(e.event)})}</span>
    <${ae} good=${!e.error}>${t(e.error?"delivery.failed":"delivery.arrived")}<//>
    ${e.error&&o`<span>${Gs(e)}</span>`}
    <${Qs} of=${e} />
    <span class="quiet"><time datetime=${e.at}>${k(e.at)}</time>${r.filter(Boolean).map(n=>" · "+n)}</span>
  </div>`}function Qo({id:e}){let{query:s}=_.use(),r=J(`/webhooks/${e}`);return $e(),o`<${x} title=${r.value?Pe(r.value):t("nav.webhooks")} up="/webhooks">
    <${S} of=${r}>${n=>o`<${Jo} webhook=${n} doing=${s.get("do")||""} changed=${r.set} reload=${r.reload} />`}<//>
  <//>`}function Jo({webhook:e,doing:s,changed:r,reload:n}){let[a,i]=w(0),l={edit:Vo,enable:!e.enabled&&Xs,disable:e.enabled&&Xs,rotate:Zo,replay:e.enabled&&sn,delete:on},c=Object.hasOwn(l,s)&&l[s],$=Js(e.id,!c);if(c)return o`<${c} key=${s} webhook=${e} changed=${r} sent=${$.watch} />`;let m=(d,f,b="")=>o`<button type="button" class=${"button "+b} onClick=${()=>M(d)}>${t(f)}</button>`,p=()=>{$.watch(!0),i(a+1)};return o`
    <${Re} of=${"webhook "+e.id} title=${t("webhook.secret")} meaning=${t("webhook.secret-once")} copy=${t("webhook.secret-copy")} />
    <p class="glance"><${Le} webhook=${e} /></p>
    ${!e.enabled&&o`<${re} tone="unsure"><p><strong>${be(e)[0]}</strong></p><p>${be(e)[1]} ${t("webhook.meanwhile")}</p><//>`}
    <div class="buttons">
      ${e.enabled?o`<${Yo} key=${a} webhook=${e} ready=${!!$.value} sent=${p} />`:m("enable","webhook.enable","primary")}
      ${m("edit","line.edit")}${m("rotate","webhook.rotate")}
      ${e.enabled&&o`${m("replay","webhook.replay")}${m("disable","webhook.disable")}`}
      ${m("delete","line.delete","danger-plain")}
    </div>
    <div aria-live="polite">${e.enabled&&o`<${Ys} of=${$} />`}</div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${L} of=${[[t("webhook.url"),e.url],[t("webhook.types"),Ae(e)],[t("filter.whose"),Ie(e)],[t("webhook.description"),e.description&&o`<span class="text">${e.description}</span>`],[t("line.id"),e.id],[t("created"),k(e.created_at)]]} />
    </section>
    <${Vs} of=${$} enabled=${e.enabled} refresh=${()=>{$.reload(),n()}} />`}function Yo({webhook:e,ready:s,sent:r}){let n=D({name:"test "+e.id,method:"POST",path:`/webhooks/${e.id}/test`,title:ue("webhook.test",e),fields:{}}),{state:a,problem:i}=n;return R(n,r),o`<div class=${a==="unknown"||i?"wide":""} data-form=${a}>
    ${a==="unknown"?o`<${Ut} form=${n} />`:o`<button type="button" class="button primary" disabled=${n.frozen||!s} onClick=${()=>n.send({})}>${t(a==="sending"?"form.sending":"webhook.test")}</button>`}
    ${a==="refused"&&i&&o`<${P} problem=${i} />`}
  </div>`}var ue=(e,s)=>`${t(e)}: ${Pe(s)}`;function Vo({webhook:e,changed:s}){let r=ue("line.edit",e),n=D({name:"edit webhook "+e.id,method:"PATCH",path:"/webhooks/"+e.id,title:r,fields:je(e)});return R(n,()=>{s(n.answer),v(O(t("webhook.edited")))}),o`<section class="panel"><h2>${r}</h2>
    <${A} form=${n} submit=${t("save")} ready=${We(n.fields)} onSubmit=${()=>n.send(Me(n.fields))} onClose=${()=>v()}>
      <${Ne} form=${n} />
    <//>
  </section>`}function Xs({webhook:e,changed:s,sent:r}){let n=e.enabled?"webhook.disable":"webhook.enable",a=ue(n,e);return o`<${Y} name=${`${n} ${e.id}`} method="PATCH" path=${"/webhooks/"+e.id} title=${a} meaning=${t(n+"-meaning")} submit=${t(n)}
    body=${{enabled:!e.enabled}} then=${i=>{v(O(t(n+"-done"))),s(i),e.enabled||r()}} />`}var Xo=[24,72,168,0];function Zo({webhook:e}){let s=ue("webhook.rotate",e),r=D({name:"rotate "+e.id,method:"POST",path:`/webhooks/${e.id}/rotate`,title:s,place:`/webhooks/${e.id}?do=rotate`,fields:{overlap_hours:24}});return R(r,()=>{let{secret:n,previous_expires_at:a}=r.answer;ce.set({of:"webhook "+e.id,secret:n}),v(O(a?t("webhook.rotated-until",{at:k(a)}):t("webhook.rotated")))}),o`<section class="panel"><h2>${s}</h2>
    <${A} form=${r} submit=${t("webhook.rotate")} onSubmit=${()=>r.send(r.fields)} onClose=${()=>v()}>
      <p>${t("webhook.rotate-meaning")}</p>
      <${V} form=${r} name="overlap_hours" label=${t("webhook.overlap")} of=${Xo.map(n=>[n,n?t("period.day",{n:n/24}):t("webhook.overlap-none")])} />
    <//>
  </section>`}var en=36e5;async function tn(e,{hours:s,...r},n){let a=new Date(E()-s*en).toISOString(),i=0,l=0,c="",$="";for(let m=0;$!==null&&m<Rt;m++){let{data:p,next_cursor:d}=await z("GET",e,{query:{...r,order:"desc",limit:500,cursor:$},signal:n}),f=p.filter(b=>b.timestamp>=a);i+=f.length,f.length&&({seq:l,timestamp:c}=f[f.length-1]),$=f.length<p.length?null:d}return{n:i,seq:l,at:c}}function sn({webhook:e,sent:s}){let r=ue("webhook.replay",e),n=D({name:"replay "+e.id,method:"POST",path:`/webhooks/${e.id}/replay`,title:r,fields:{from:"1",number:""}}),{from:a,number:i}=n.fields,l=a==="entry",c=y(l?null:"/events",{hours:a,type:e.types.includes("*")?[]:e.types,account:e.scope==="own"?g().id:""},tn),$=l?/^[1-9]\d{0,14}$/.test(de(i))&&Number(de(i)):c.value?.seq;return R(n,()=>{v(O(t("webhook.replayed"))),s()}),o`<section class="panel"><h2>${r}</h2>
    <${A} form=${n} submit=${t("webhook.replay")} ready=${!!$} onSubmit=${()=>n.send({after_seq:Number($)-1})} onClose=${()=>v()}>
      <p>${t("webhook.replay-meaning")}</p>
      <${V} form=${n} name="from" label=${t("webhook.replay-from")} of=${["1","24","168","entry"].map(m=>[m,t("webhook.replay."+m)])} />
      ${l?o`<${q} form=${n} name="number" label=${t("webhook.replay-number")} hint=${t("webhook.replay-hint")} inputmode="numeric" maxlength="15" required />`:o`<${S} of=${c}>${({n:m,at:p})=>o`<p role="status">${m?t("webhook.replay-count",{n:m,at:k(p)}):t("webhook.replay-nothing")}</p>`}<//>`}
    <//>
  </section>`}var on=({webhook:e})=>o`<${Y} name=${"delete webhook "+e.id} method="DELETE" path=${"/webhooks/"+e.id} title=${ue("line.delete",e)}
  meaning=${t("webhook.delete-meaning")} submit=${t("line.delete")} danger then=${()=>Se("/webhooks",O(t("webhook.deleted",{host:Pe(e)})))} />`;var to=["read_only","support","cashier","manager"],Zs=["lines:read","lines:passwords","lines:write","lines:spend","lines:delete","users:read","users:write","credits:move","ledger:read","events:read","entitlements:read","manage"],eo=(e,s)=>ne(`${e}.${s}`)?t(`${e}.${s}`):s,ze=e=>e.role?eo("rights",e.role):e.scopes.map(s=>eo("scope",s)).join("; "),pt=e=>ne(`rights.${e}-means`)?t(`rights.${e}-means`):"",dt=({spend_limit:e,spent:s})=>e?t("limit.spent",{spent:H(s),limit:Mt(e.credits)}):t("limit.none"),ft=({last_used_at:e,last_used_address:s})=>e?t("key.used",{at:k(e),address:s||""}):t("key.unused");function bt({one:{expires_at:e}}){let s=!e||new Date(e).getTime()>E();return o`<${ae} good=${s}>${t("line.state."+(s?"active":"expired"))}<//>`}var He=e=>new Date(new Date(e).getTime()-new Date(e).getTimezoneOffset()*6e4).toISOString().slice(0,10),ht=(e,s)=>({...e==="key"?{name:s?.name||"",expires_at:s?.expires_at?He(s.expires_at):"",allowed_addresses:s?.allowed_addresses.join(`
`)||""}:{username:s?.username||"",...s?{}:{password:""}},role:s?s.role||"":to[0],scopes:s?.scopes||[],credits:s?.spend_limit?H(s.spend_limit.credits):""});function gt({role:e,scopes:s,credits:r,expires_at:n,allowed_addresses:a,...i},l){let{amount:c}=ie(r);return{...i,...e?{role:e}:{scopes:s},spend_limit:c?{credits:c,per:"day"}:null,...a===void 0?{}:{allowed_addresses:de(a).split(/[\s,;]+/).filter(Boolean),expires_at:n?l?.expires_at&&He(l.expires_at)===n?l.expires_at:new Date(n+"T23:59:59").toISOString():null}}}var yt=({role:e,scopes:s})=>!!e||s.length>0;function wt({form:e,kind:s,...r}){let{fields:n}=e,a=(i,l)=>e.set({scopes:Zs.filter(c=>c===i?l:n.scopes.includes(c))});return o`
    ${s==="key"?o`<${q} form=${e} name="name" label=${t("key.name")} hint=${t("key.name-hint")} maxlength="64" required />`:o`<${q} form=${e} name="username" label=${t("username")} hint=${t("staff.username-hint")} maxlength="64" required />
        ${"password"in n&&o`<${q} form=${e} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />`}`}
    <${V} form=${e} name="role" label=${t("rights")} of=${[...to,""].map(i=>[i,t("rights."+(i||"own")),pt(i||"own")])} />
    ${!n.role&&o`<fieldset class="choice few" disabled=${e.frozen} aria-label=${t("rights.own")}>
      ${!n.scopes.length&&o`<p class="quiet">${t("webhook.choose")}</p>`}
      ${Zs.filter(C).map(i=>o`<label key=${i}>
        <input type="checkbox" value=${i} checked=${n.scopes.includes(i)} onChange=${l=>a(i,l.target.checked)} />
        <span>${t("scope."+i)}</span></label>`)}
    </fieldset>`}
    <${Gt} form=${e} typed=${ie(n.credits)} label=${t("limit")} hint=${t("limit.hint")} required=${!1} />
    ${s==="key"&&o`
      <${q} form=${e} name="expires_at" label=${t("key.expires")} hint=${t("key.expires-hint")} type="date" max="9999-12-31" ...${r} />
      <${q} form=${e} name="allowed_addresses" label=${t("key.addresses")} hint=${t("key.addresses-hint")} kind="textarea" rows="2" maxlength="2500" />`}`}function nn(){let{query:e}=_.use(),s=e.get("do")||"",r=J("/auth/session"),n={password:gs,name:!g().staff&&rn,totp:xs,"no-totp":Ss},a=Object.hasOwn(n,s)&&n[s];return a?o`<${x} title=${t("nav.sessions")}><${a} of=${r} /><//>`:o`<${x} title=${t("nav.sessions")}>
    <div class="buttons"><button type="button" class="button" onClick=${()=>M("password")}>${t("password.change")}</button>
      ${!g().staff&&o`<button type="button" class="button" onClick=${()=>M("name")}>${t("name.change")}</button>`}</div>
    <${S} of=${r}>${i=>o`<${ks} on=${i.totp} /><${an} />`}<//>
  <//>`}function rn(){let e=y("/users/logged");return o`<${S} of=${e}>${s=>o`<${ys} account=${s} />`}<//>`}function an(){let e=y("/auth/sessions");return o`<h2>${t("sessions")}</h2><p>${t(g().staff?"sessions.own-meaning":"sessions.meaning")}</p><${vt} of=${e} />`}function vt({of:e,name:s}){return o`<${S} of=${e}>${r=>{let n=r.filter(a=>!s||a.staff===s);return n.length?o`<ul class="rows">${n.map(a=>o`<li key=${a.id}><${ln} session=${a} ended=${e.reload} /></li>`)}</ul>`:o`<p class="quiet">${t("sessions.none")}</p>`}}<//>`}function ln({session:e,ended:s}){let[r,n]=w(null),[a,i]=w(!1),l=async()=>{i(!0),n(null);try{await z("DELETE","/auth/sessions/"+e.id),s()}catch(c){c.status===404?s():n(c),i(!1)}};return o`<div class="row session">
    <span class="name">${cn(e.device)}${e.staff&&e.staff!==g().staff?.username&&o` · ${e.staff}`}${e.current&&o` <${ae} good badge>${t("sessions.this")}<//>`}</span>
    <span class="quiet">${t("sessions.used",{at:k(e.last_used_at),address:e.address})}</span>
    <span class="quiet">${t("sessions.since",{at:k(e.created_at)})}</span>
    ${!e.current&&o`<button type="button" class="button" disabled=${a} onClick=${l}>${t("sessions.end")}</button>`}
    ${r&&o`<${P} problem=${r} retry=${l} />`}
  </div>`}function cn(e){let s=[[/Edg(e|A|iOS)?\//,"Edge"],[/OPR\//,"Opera"],[/SamsungBrowser\//,"Samsung Internet"],[/Firefox\/|FxiOS\//,"Firefox"],[/Chrom(e|ium)\/|CriOS\//,"Chrome"],[/Safari\//,"Safari"]].find(([n])=>n.test(e))?.[1],r=[[/Android/,"Android"],[/iPhone|iPad/,"iOS"],[/Windows/,"Windows"],[/Mac OS X/,"macOS"],[/CrOS/,"ChromeOS"],[/Linux/,"Linux"]].find(([n])=>n.test(e))?.[1];return[s,r].filter(Boolean).join(" · ")||e||t("sessions.unknown")}var $n=100,j={key:"/keys",staff:"/staff"},pe=e=>e.name||e.username,mn=()=>o`<${so} kind="key" />`,un=()=>o`<${so} kind="staff" />`,pn=({id:e})=>o`<${oo} kind="key" id=${e} />`,dn=({id:e})=>o`<${oo} kind="staff" id=${e} />`;function so({kind:e}){let{query:s}=_.use();return s.get("do")==="create"?o`<${bn} kind=${e} />`:o`<${De} path=${j[e]} title=${t("nav."+j[e].slice(1))} meaning=${t(e+".meaning")} add=${t(e+".new")} most=${$n}
    full=${t("problem.too-many-principals")} empty=${t(e+".none")} row=${r=>o`<${fn} kind=${e} one=${r} />`} />`}var fn=({kind:e,one:s})=>o`<${I} class="row principal" to=${`${j[e]}/${s.id}`} data-row>
  <span class="name" translate=${!1}>${pe(s)}</span>
  <span>${e==="key"&&o`<${bt} one=${s} />`}</span>
  <span>${ze(s)}</span>
  <span class="quiet">${s.expires_at&&o`${t("event.until",{until:k(s.expires_at)})} · `}${dt(s)} · ${ft(s)}</span>
<//>`;function bn({kind:e}){let s=D({name:e,method:"POST",path:j[e],title:t(e+".new"),place:j[e]+"?do=create",secret:["password"],fields:{...ht(e),...e==="staff"&&{password:hs()}}}),{fields:r,answer:n}=s;return R(s,()=>{ce.set({of:`${e} ${n.id}`,secret:n.key||r.password}),xe(`${j[e]}/${n.id}`,{replace:!0,state:O(t(e+".created",{name:pe(n)}))})}),o`<${x} title=${t(e+".new")} up=${j[e]}><section class="panel">
    <${A} form=${s} submit=${t("reseller.create")} ready=${yt(r)} unclear=${!!ie(r.credits).wrong} onSubmit=${()=>s.send(gt(r))} onClose=${()=>v()}>
      <${wt} form=${s} kind=${e} min=${He(E())} />
    <//>
  </section><//>`}function oo({kind:e,id:s}){let{query:r}=_.use(),n=J(`${j[e]}/${s}`);return $e(),o`<${x} title=${n.value?pe(n.value):t("nav."+j[e].slice(1))} named=${n.value} up=${j[e]}>
    <${S} of=${n}>${a=>o`<${hn} kind=${e} one=${a} doing=${r.get("do")||""} changed=${n.set} />`}<//>
  <//>`}function hn({kind:e,one:s,doing:r,changed:n}){let a={edit:yn,remove:kn,...e==="staff"?{password:wn,totp:vn}:{}},i=Object.hasOwn(a,r)&&a[r];if(i)return o`<${i} key=${r} kind=${e} one=${s} changed=${n} />`;let l=(c,$,m="")=>o`<button type="button" class=${"button "+m} onClick=${()=>M(c)}>${t($)}</button>`;return o`
    ${e==="staff"?o`<${Ee} of=${"staff "+s.id} name=${s.username} />`:o`<${Re} of=${"key "+s.id} title=${t("key.secret")} meaning=${t("key.secret-once")} copy=${t("key.secret-copy")} /><p class="glance"><${bt} one=${s} /></p>`}
    <div class="buttons">
      ${l("edit","line.edit")}
      ${e==="staff"&&o`${l("password","password.new")}${l("totp","reseller.totp")}`}
      ${l("remove",e+".remove","danger-plain")}
    </div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${L} of=${[[t("rights"),s.role?o`<strong>${ze(s)}</strong>. ${pt(s.role)}`:ze(s)],[t("limit"),dt(s)],[t("key.expires"),e==="key"?s.expires_at?o`<${Kt} at=${s.expires_at} />`:t("key.never"):null],[t("key.addresses"),e==="key"?s.allowed_addresses.join(", ")||t("key.anywhere"):null],[t("key.last"),ft(s)],[t("line.id"),s.id],[t("created"),k(s.created_at)]]} />
    </section>
    ${e==="staff"&&!g().staff&&o`<${gn} name=${s.username} />`}`}function gn({name:e}){let s=y("/auth/sessions");return o`<section class="panel"><h2>${t("sessions")}</h2><${vt} of=${s} name=${e} /></section>`}var Ge=(e,s)=>`${t(e)}: ${pe(s)}`;function yn({kind:e,one:s,changed:r}){let n=Ge("line.edit",s),a=D({name:`edit ${e} ${s.id}`,method:"PATCH",path:`${j[e]}/${s.id}`,title:n,fields:ht(e,s)}),{fields:i,answer:l}=a;return R(a,()=>{v(O(t("reseller.contact-done",{name:pe(l)}))),r(l)}),o`<section class="panel"><h2>${n}</h2>
    <${A} form=${a} submit=${t("save")} ready=${yt(i)} unclear=${!!ie(i.credits).wrong} onSubmit=${()=>a.send(gt(i,s))} onClose=${()=>v()}>
      <${wt} form=${a} kind=${e} />
    <//>
  </section>`}function wn({one:e}){let s=Ge("password.new",e),r=D({name:"password of staff "+e.id,method:"PATCH",path:"/staff/"+e.id,title:s,secret:["password"],fields:{password:""}});return R(r,()=>v(O(t("staff.password-done",{name:e.username})))),o`<section class="panel"><h2>${s}</h2>
    <${A} form=${r} submit=${t("save")} onSubmit=${()=>r.send(r.fields)} onClose=${()=>v()}>
      <p>${t("staff.password-meaning")}</p>
      <${q} form=${r} name="password" label=${t("password.new")} hint=${t("reseller.password-hint")} minlength="6" maxlength="128" required />
    <//>
  </section>`}var vn=({one:e})=>o`<${Y} name=${"totp of staff "+e.id} method="DELETE" path=${`/staff/${e.id}/totp`} title=${Ge("reseller.totp",e)}
  meaning=${t("reseller.totp-meaning")} submit=${t("reseller.totp")} danger then=${()=>v(O(t("reseller.totp-done",{name:e.username})))} />`,kn=({kind:e,one:s})=>o`<${Y} name=${`remove ${e} ${s.id}`} method="DELETE" path=${`${j[e]}/${s.id}`} title=${Ge(e+".remove",s)}
  meaning=${t(e+".remove-meaning")} submit=${t(e+".remove")} danger then=${()=>Se(j[e],O(t(e+".removed",{name:pe(s)})))} />`;var no=["whatsapp","telegram"];function xn(){let e=y(`/users/${g().id}/messages`),[s,r]=w(0),n=a=>{e.set(a),_s(a),r(s+1),se(O(t("messages.saved")))};return o`<${x} title=${t("nav.messages")}>
    <p>${t(g().is_admin?"messages.meaning-top":"messages.meaning")}</p>
    <${S} of=${e}>${a=>C("users:write")?o`<${On} key=${s} messages=${a} saved=${n} />`:o`<${Sn} messages=${a} />`}<//>
  <//>`}var ro=e=>{let s={access:30,reminder:3,expired:-1,welcome:30}[e]||30;return{username:"maria.tv",password:"7Kd92x",expDate:new Date(E()+s*864e5).toISOString()}},ao=({text:e})=>o`<p class="bubble text" translate=${!1} data-message>${e}</p>`,Sn=({messages:e})=>o`
  <section class="panel"><h2>${t("messages.where")}</h2>
    <${L} of=${["server","apps"].map(s=>[t("messages."+s),o`<span class="text">${Be(s,e)||t("messages.none")}</span>`])} />
  </section>
  <div class="panels">${he.map(s=>o`<section class="panel" key=${s}><h2>${t("messages."+s)}</h2>
    <${ao} text=${lt(Be(s,e),ro(s),e)} /></section>`)}</div>`;function On({messages:e,saved:s}){let r=["server","apps",...he,...no],n=Object.fromEntries(r.map($=>[$,no.includes($)?"":e.inherited[$]||(he.includes($)?t("message.default."+$):"")])),a=D({name:"messages",method:"PUT",path:`/users/${g().id}/messages`,title:t("nav.messages"),fields:Object.fromEntries(r.map($=>[$,e[$]||n[$]]))}),{fields:i}=a;R(a,()=>s(a.answer));let l=Object.fromEntries(r.map($=>{let m=($==="server"?i[$].replace(/\s+/g," "):i[$]).trim();return[$,m===n[$].trim()?null:m||null]})),c={...l,inherited:e.inherited};return o`<${A} form=${a} submit=${t("save")} onSubmit=${()=>a.send(l)}>
    <section class="panel"><h2>${t("messages.where")}</h2>
      <${kt} form=${a} name="server" above=${n.server} hint=${t("messages.server.hint")} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${kt} form=${a} name="apps" above=${n.apps} hint=${t("messages.apps.hint")} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${he.map($=>o`<section class="panel template" key=${$}>
      <div>
        <${kt} form=${a} name=${$} above=${n[$]}
          standard=${!e.inherited[$]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${t("messages.insert")}>${Os.map(m=>o`<button type="button" class="button" key=${m} disabled=${a.frozen}
          onClick=${p=>_n(a,$,`{${m}}`,p.currentTarget)}><${h} name="plus" />${t("messages.put."+m)}</button>`)}</div>
      </div>
      <div><p class="quiet">${t("messages.preview")}</p><${ao} text=${lt(Be($,c),ro($),c)} /></div>
    </section>`)}
    ${W.haveBelow()&&o`<section class="panel"><h2>${t("messages.reach")}</h2><p>${t("messages.reach.meaning")}</p>
      <${q} form=${a} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
      <${q} form=${a} name="telegram" label=${t("telegram")} hint=${t("messages.telegram.hint")} maxlength="64" />
    </section>`}
  <//>`}var kt=({form:e,name:s,above:r,standard:n=!1,...a})=>o`
  <${q} form=${e} name=${s} label=${t("messages."+s)} placeholder=${r} ...${a} />
  ${!!r&&(e.fields[s].trim()!==r.trim()?o`<button type="button" class="button link" disabled=${e.frozen} onClick=${()=>e.set({[s]:r})}><${h} name="rotate-cw" />${t(n?"messages.use-standard":"messages.use-above")}</button>`:o`<p class="from"><span class="badge">${t(n?"messages.is-standard":"messages.is-above")}</span></p>`)}`;function _n(e,s,r,n){let a=n.closest(".template")?.querySelector("textarea"),{value:i,selectionStart:l,selectionEnd:c}=a;e.set({[s]:i.slice(0,l)+r+i.slice(c)}),setTimeout(()=>{a.focus(),a.setSelectionRange(l+r.length,l+r.length)})}function Tn(){let e=y("/prices");return o`<${x} title=${t("nav.prices")}>
    <${S} of=${e}>${({prices:s})=>o`<section class="panel">
      <${L} of=${s.map(r=>[Fs(r.period),o`<${X} of=${r.credits} />`])} /></section>`}<//>
  <//>`}var Cn=5,Fn=200,io=({username:e,whatsapp:s,notes:r,telegram:n,email:a,external_id:i},l)=>[e,s,r,n,a,i].find(c=>Ue(c,l));function lo(e,s,r){let n=y(e&&r?e:null,{q:r,limit:Cn},(c,$,m)=>z("GET",c,{query:$,signal:m}).then(p=>({...p,of:r}))),a=n.value,i=te([]);a&&(i.current=a.data);let l=a?.of===s;return{rows:s?l?i.current:i.current.filter(c=>io(c,s)):[],more:l&&a?.next_cursor!==null,settled:!e||!s||l||r===s&&!!n.problem,problem:s&&n.problem,reload:n.reload}}function qn({places:e,close:s}){let{path:r,query:n}=_.use(),a=ve(),i=te(null),l=te(!1),[c,$]=w(r==="/lines"&&n.get("q")||""),[m,p]=w(""),[d,f]=w(""),b=Oe(c);U(()=>{let u=setTimeout(()=>p(b),Fn);return()=>clearTimeout(u)},[b]);let K=qs("trial that was searched for",s),T=lo(C("lines:read")?"/lines":"",b,m),G=lo(W.seeResellers()?"/users":"",b,m),N=T.settled&&G.settled,xt=u=>({name:u.username,record:!0,hit:Ue(u.username,b)?u.whatsapp:io(u,b)||u.whatsapp}),we=T.rows.length,St=G.rows.filter(({id:u})=>u!==g().id),Ot=({name:u})=>!b||!!Ue(u,b),_t=u=>u.map(([B,ee,po])=>({key:B,to:B,icon:ee,name:po})).filter(Ot),Tt=[[t("nav.lines"),T.rows.map(u=>({key:"line "+u.id,icon:"tv",to:"/lines/"+u.id,end:_e(u.expDate),...xt(u)}))],[t("nav.resellers"),St.map(u=>({key:"user "+u.id,icon:"users",to:"/resellers/"+u.id,end:u.is_admin?"":t("balance-after",{amount:H(u.credits)}),...xt(u)}))],[t("actions"),[...C("lines:write")?[{key:"trial",icon:"plus",name:t("trial.new"),act:()=>K.send({})}].filter(Ot):[],..._t([...W.createResellers()?[["/resellers?do=create","plus",t("reseller.new")]]:[],...C("manage")?[["/staff?do=create","plus",t("staff.new")],["/keys?do=create","plus",t("key.new")]]:[]]),...we||T.more?[{key:"list",icon:"list-filter",to:"/lines?"+new URLSearchParams({q:b}),name:T.more?t("search.list"):t("search.list-n",{n:we,count:F(we)})}]:[]]],[t("search.places"),_t(e)]].filter(([,u])=>u.length),Q=Tt.flatMap(([,u])=>u),Z=Q.find(({key:u})=>u===d)||(b?Q[0]:void 0),Je=u=>u&&a+u.key.replace(/\W/g,"-"),Ye=()=>document.getElementById(Je(Z)||"");Ft(()=>{let u=i.current,B=u.querySelector("input");return u.showModal(),B?.focus(),B?.select(),()=>u.close()},[]),U(()=>Ye()?.scrollIntoView({block:"nearest"}),[Z?.key]),U(()=>{!N||!l.current||(l.current=!1,Ye()?.click())},[N]);let uo=u=>{let B={ArrowDown:1,ArrowUp:-1}[u.key];if(B&&Q.length)f(Q.at((Z?Q.indexOf(Z)+B:B>0?0:-1)%Q.length)?.key||"");else if(u.key==="Enter")N?Ye()?.click():l.current=!0;else return;u.preventDefault()},Ve=we+St.length,Xe=T.problem||G.problem,Ct=!b||!N||Xe?"":!Ve&&(T.more||G.more)?t("list.paused"):t("search.results",{n:Ve,count:F(Ve)+(T.more||G.more?"+":"")});return o`<dialog class="palette" ref=${i} aria-label=${t("search")} onClose=${s} onKeyDown=${u=>u.stopPropagation()}
    onPointerDown=${u=>{Qt(u)&&s()}}>
    <div class="palette-head"><${h} name="search" />
      <input type="text" role="combobox" aria-expanded=${Q.length>0} aria-controls=${a} aria-activedescendant=${Je(Z)} aria-autocomplete="list" aria-label=${t("search")} value=${c}
        enterkeyhint="go" autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" onKeyDown=${uo}
        onInput=${u=>{$(u.target.value),f(""),l.current=!1}} />
      <kbd class="key desk" aria-hidden="true">Esc</kbd><button type="button" class="button ghost only thumb" aria-label=${t("close")} onClick=${s}><${h} name="x" /></button></div>
    ${Q.length>0&&o`<ul class="menu" role="listbox" id=${a} aria-label=${t("search")} aria-busy=${!N} onClick=${u=>{u.defaultPrevented&&u.target.closest("a")&&s()}}>
      ${Tt.map(([u,B])=>o`<li key=${u} role="group" aria-label=${u}><span class="menu-head" aria-hidden="true">${u}</span>
        ${B.map(ee=>o`<${Dn} key=${ee.key} of=${ee} id=${Je(ee)} on=${ee===Z} by=${b} off=${K.frozen} />`)}</li>`)}</ul>`}
    ${Xe&&o`<${P} problem=${Xe} retry=${()=>{T.reload(),G.reload()}} />`}
    <${Ds} form=${K} />
    ${!!Ct&&!Q.length&&o`<p class="quiet none">${t("search.none")}</p>`}
    <footer><span class="desk"><kbd class="key">↑</kbd> <kbd class="key">↓</kbd> ${t("search.choose")}</span><span class="desk"><kbd class="key">Enter</kbd> ${t("search.open")}</span><span class="count" role="status">${Ct}</span></footer>
  </dialog>`}function Dn({of:{icon:e,name:s,to:r,act:n,record:a,hit:i,end:l},id:c,on:$,by:m,off:p}){let d={id:c,role:"option",tabindex:-1,"aria-selected":$,class:$?"is-hover":""},f=o`<${h} name=${e} /><span class="clip" translate=${!a}><${it} text=${s} by=${m} />${i&&o` <span class="quiet"><${it} text=${i} by=${m} /></span>`}</span>
    ${l&&o`<span class="at desk">${l}</span>`}`;return r?o`<${I} to=${r} ...${d}>${f}<//>`:o`<button type="button" disabled=${p} onClick=${n} ...${d}>${f}</button>`}var Qe=500,$o=()=>`resellerd${ke} reminded ${Pt(g())}`,mo=()=>new Date(E()).toDateString();function co(){let e=JSON.parse(Dt($o())||"{}");return e.day===mo()?e.ids:[]}function Rn({ids:e,query:s={},onClose:r}){let n=Bt(e?null:"/lines",{...s,limit:Qe},Qe),[a]=w(co),[i,l]=w([]),c=e||(n.value?.data||[]).slice(0,Qe).map(({id:N})=>N),$=c.filter(N=>!a.includes(N)),m=($.length?$:c).filter(N=>!i.includes(N)),[p]=m,d=c.length-m.length,f=c.length,b=y(p?`/lines/${p}`:null),K=!Ts().reading&&b.value?.id===p?b.value:null,T=()=>{if(qt($o(),JSON.stringify({day:mo(),ids:[...co(),p].slice(-4*Qe)})),m.length>1)return l([...i,p]);r(),se(O(t("queue.done")))},G=e||n.value?b.problem:n.problem;return o`<${Jt} title=${f?t("queue.title",{n:f,count:F(f)}):t("queue")} about=${f?t("queue.at",{at:F(d+1),all:F(f)}):""} onClose=${r}>
    <svg class="left" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4" /><rect class="run" width=${f?100*d/f:0} height="4" /></svg>
    ${G?o`<${P} problem=${G} retry=${e||n.value?b.reload:n.reload} />${p&&o`<button type="button" class="button link" onClick=${T}>${t("queue.skip")}</button>`}`:K?o`<${En} key=${p} line=${K} last=${m.length===1} next=${T} />`:n.value&&!f?o`<p>${t("lines.none-such")}</p>`:o`<${Te} />`}
  <//>`}function En({line:e,last:s,next:r}){let n=ve(),[a,i]=w(null),l=te(null),c=Fe(e.whatsapp,e.country),$=a??Cs(Rs(e),e);U(()=>l.current?.focus({preventScroll:!0}),[]);let m=p=>p.detail>1?p.preventDefault():setTimeout(r);return o`<div class="turn">
    <div><h3 id=${n} class="name" translate=${!1}>${e.username}</h3>
      <p class="quiet small">${_e(e.expDate)} · ${c?Zt(c):o`<span class="soon">${e.whatsapp?t("queue.unsure",{number:e.whatsapp}):t("queue.no-number")}</span>`}</p></div>
    ${a===null?o`<p class="bubble text" translate=${!1} data-message>${$}</p>`:o`<textarea class="input" rows="8" maxlength="2000" aria-label=${t("queue.edit")} value=${a} onInput=${p=>i(p.target.value)}></textarea>`}
    <a class="button primary tall wide" ref=${l} href=${es(c,$)} target="_blank" rel="noopener noreferrer" aria-describedby=${n} data-next onClick=${m}><${h} name="message-circle" />${t(s?"queue.last":"queue.next")}</a>
    <div class="rowed"><button type="button" class="button link" data-skip onClick=${r}>${t("queue.skip")}</button>
      ${a===null&&o`<button type="button" class="button link" onClick=${()=>i($)}>${t("queue.edit")}</button>`}</div>
  </div>`}export{Lo as Activity,Eo as Job,Ro as Jobs,mn as Keys,dn as Member,xn as Messages,pn as OneKey,Qo as OneWebhook,qn as Palette,Tn as Prices,fo as Proof,Rn as Queue,go as Reseller,nn as Sessions,un as Staff,Do as Statement,Mo as Webhooks};
//# sourceMappingURL=rare.js.map
