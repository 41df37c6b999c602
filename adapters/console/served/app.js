import{$ as Qe,$a as Se,A as ps,Aa as Ge,Ab as Vs,B as ue,Ba as le,Bb as Lt,C as z,Ca as ve,Cb as Js,D as Ke,Da as q,Db as st,E as S,Ea as te,Eb as Ys,F as ds,Fa as Fs,Fb as Gs,G as fs,Ga as K,Gb as Xs,H as Le,Ha as Xe,Hb as Dt,I as pe,Ia as qt,Ib as At,J as s,Ja as Ae,Jb as Zs,Ka as Ze,Kb as en,L as we,La as Me,Lb as tn,M as x,Ma as Ts,Mb as sn,N as ye,Na as qs,Nb as nn,O as hs,Oa as Pe,Ob as nt,P as Z,Pa as G,Pb as ot,Q as Ot,Qa as Rt,Qb as on,R as bs,Ra as Rs,S as gs,Sa as X,Sb as an,T as ws,Ta as Es,Tb as rn,U as ys,Ua as xe,V as Ft,Va as Ls,Vb as _e,W as b,Wa as et,X as M,Xa as H,Xb as ln,Y as ee,Ya as Q,Za as Ds,Zb as at,_ as I,_a as As,_b as cn,a as ss,aa as ks,ab as Ce,b as ns,ba as De,bb as A,c as v,ca as vs,cb as Ms,cc as mn,d as L,da as xs,db as Ps,e as os,ea as Ss,eb as se,f as ie,fb as Is,g as as,ga as B,gb as ce,h as rs,ha as F,i as n,ia as Ve,ic as $n,j as $e,ja as P,k as he,ka as T,kb as Ns,kc as un,l as be,la as ae,m as oe,ma as Cs,mc as pn,n as ge,na as Je,nb as js,nc as rt,o as ls,oa as _s,oc as lt,p as is,pa as re,pc as dn,qa as Tt,qc as fn,r as cs,ra as d,rb as Bs,sa as E,sb as Hs,t as _,ta as U,tb as Us,tc as hn,u as J,ua as ke,ub as Ws,v as ms,vb as Et,vc as bn,w as Y,wa as D,wb as tt,wc as gn,x as R,xa as W,xb as zs,y as $s,ya as Os,yb as Ks,z as us,za as Ye,zb as Qs}from"./chunk.js";function wn(e,t=4n){let o=e>0n?e:10000n;for(let a=1n;;a*=10n)for(let r of[1n,2n,5n]){let i=r*a;if(i*t<o)continue;let l=(o+i-1n)/i;return Array.from({length:Number(l)+1},(c,m)=>BigInt(m)*i)}}var Ie=(e,t)=>e>0n?Number(e*10000n/t)/100:0,yn=(e,t)=>e.map((o,a)=>(a?"V":"M0 ")+(100-Ie(o,t))+"H"+(a+1)).join(""),kn=(e,t,o)=>Math.max(0,Math.min(o-1,Math.floor(e*o/t)));function vn(e,t,o){let a={ArrowLeft:t-1,ArrowDown:t-1,ArrowRight:t+1,ArrowUp:t+1,Home:0,End:o-1}[e];return a===void 0?void 0:Math.max(0,Math.min(o-1,a))}var Mt=e=>e.reduce((t,o)=>({trials:t.trials+o.trials,activations:t.activations+o.activations,extensions:t.extensions+o.extensions,spent:ae(T(t.spent)+T(o.spent))}),{trials:0,activations:0,extensions:0,spent:"0"}),xn=e=>e.filter(t=>t.day.slice(0,7)===e[e.length-1].day.slice(0,7));function it(e,t,o){let a=t||o;return a&&T(e)<T(a)?a:""}var Oe=["10","20","50"],ne=$e(null),Sn=e=>`resellerd${ge} ${e} for ${ye(x())}`;function ct({then:e}){let t=ne.use(),o=a=>{ne.set(null),a&&e(a)};return os(()=>()=>ne.set(null),[]),t&&n`<${Pt} key=${t.name+t.reseller.id} ...${t} onClose=${o} />`}function Pt({reseller:e,name:t,amount:o="",onClose:a}){let r=Z.use(),i=t==="topup",l=H({name:`${t} ${e.id}`,method:i?"PATCH":"POST",path:i?"/users/credits/"+e.id:`/users/${e.id}/credits/reclaim`,payer:e.id,title:s(`reseller.${t}-title`,{name:e.username}),fields:{credits:F(be(Sn(t))||(i?Oe[0]:"")),notes:""}}),{fields:c,frozen:m}=l,$=Se(c.credits),u=m?l.said().credits:$.wrong?"":$.amount;L(()=>{o&&l.set({credits:F(o)})},[]),Q(l,()=>{he(Sn(t),u),a(A(s(`reseller.${t}-done`,{name:e.username,amount:P(u)}),{payer:e.id,key:l.key}))});let p=()=>{c.notes||l.cancel(),a()},f=i?r:e,w=!!u&&!!f&&!f.is_admin&&T(f.credits)<T(u),C=((y,O=i===(y===e))=>[n`<span class="name" translate=${!1}>${y.username}</span>`,te("reseller.then",{now:F(y.credits),after:P(Cs(y.credits,O?"-"+u:u))})]);return n`<${Ps} look="side-panel top-up" title=${te(`reseller.${t}-title`,{name:e.username})} onClose=${p}>
    <${K} form=${l} submit=${u?s(`reseller.${t}-amount`,{amount:P(u)}):s("reseller."+t)} unclear=${!!$.wrong}
      onSubmit=${()=>l.send({credits:u,notes:c.notes.trim()||null})}>
      <fieldset class="choice few short" disabled=${m}><legend class="hush">${s("amount")}</legend>
        ${Oe.map(y=>n`<label key=${y}><input type="radio" name="amount" value=${y} checked=${u===y} onChange=${()=>l.set({credits:y})} />
          <span translate=${!1}>${i?"+":"−"}${y}</span></label>`)}</fieldset>
      <${Ce} form=${l} typed=${$} label=${s("amount.other")} />
      <div class="becomes" aria-live="polite">
        ${u?m?n`<p>${te("amount.sent",{amount:P(u)})}</p>`:w?n`<${U} tone="unsure"><p>${te(i?"cost.short":"cost.short-of",{name:e.username,cost:P(u),now:F(f?.credits||"")})}</p><//>`:n`<${G} of=${[C(e),...r&&!r.is_admin&&r.id!==e.id?[C(r)]:[]]} />`:null}
      </div>
      <${q} form=${l} name="notes" label=${s("notes")} kind="textarea" rows="1" maxlength="2000" />
    <//>
  <//>`}var It=new Map,Cn=()=>It.clear(),Ne=({is_admin:e,credits:t},o)=>e?"":it(t,o,Oe[0]),Nt=e=>n`<${Co} key=${e.id} reseller=${e} />`;function Co({reseller:e}){let{id:t,username:o}=e,a=M.manage(e,"credits:move"),r=b("users:write"),i=se(e.whatsapp,e.country),l=F(e.credits),c=s("reseller.whatsapp",{name:o}),m=($,u,p,f="")=>n`<${S} class=${f} to=${`/resellers/${t}?do=${$}`}><${d} name=${u} />${p}<//>`;return n`<tr data-id=${t}>
    <th scope="row" class="name"><span class="named"><${S} class="clip" to=${"/resellers/"+t} title=${o} translate=${!1} data-row>${o}<//>${!!(e.is_master||e.is_admin)&&n`<span class="badge">${s("role."+(e.is_admin?"admin":"master"))}</span>`}</span></th>
    <td class="num bal" translate=${!1}>${!e.is_admin&&n`<b>${l}</b><span class="unit">${P(e.credits).replace(l,"")}</span>`}</td>
    <td class="sit"><${jt} reseller=${e} /></td>
    <td class="last clip quiet" title=${I(e.recharge)}>${!e.is_admin&&De(e.recharge)}</td>
    <td class="tel clip">${e.whatsapp}</td>
    <td class="notes clip quiet" title=${e.notes}>${e.notes}</td>
    <td class="does"><span>
      ${a&&n`<button type="button" class="button row-act" aria-haspopup="dialog" aria-label=${s("reseller.topup-title",{name:o})} onClick=${()=>ne.set({reseller:e,name:"topup"})}>${s("reseller.topup")}</button>`}
      ${i?n`<a class="button ghost only" href=${ce(i,"")} target="_blank" rel="noopener noreferrer" aria-label=${c} title=${c}><${d} name="message-circle" /></a>`:n`<i></i>`}
      ${(a||r)&&n`<${X} label=${s("more-about",{name:o})}>
        ${r&&m("contact","pencil",s("reseller.contact"))}
        ${a&&n`<button type="button" onClick=${()=>ne.set({reseller:e,name:"reclaim"})}><${d} name="coins" />${s("reseller.reclaim")}</button>`}
        ${b("lines:read")&&n`<${S} to=${"/lines?owner="+t}><${d} name="tv" />${s("nav.lines")}<//>`}
        ${M.manage(e,"users:write")&&n`<hr />${e.block_reseller?m("unblock","lock-open",s("reseller.unblock")):m("block","lock",s("reseller.block")+"…","bad")}`}<//>`}
    </span></td>
  </tr>`}function jt({reseller:e,badge:t}){let o=e.active_tree?e.is_admin?"":T(e.credits)?Ne(e)&&"low":"empty":e.block_reseller?"blocked":"blocked-above";if(!o)return null;let a=s("reseller."+o),r=s(`reseller.${o}-brief`);return n`<${ke} of=${o} tone=${o==="low"?"warn":"bad"} icon=${o==="low"?"trending-down":o==="empty"?"circle-alert":"lock"} badge=${t}>${t?a:n`<span class="long">${o==="blocked-above"?r:a}</span><span class="brief">${r}</span>`}<//>`}function _n({master:e}){let t=String(e),[o,a]=v(()=>It.get(t)||{rows:[],next:""}),[r,i]=v(null),[l,c]=v(!0),m=async(p,f)=>{c(!0),i(null);try{let w=Math.min(500,Math.max(50,o.rows.length-p.length)),{data:C,next_cursor:y}=await cs("/users",{master:e,limit:w,cursor:f},1),O={rows:[...p,...C],next:y};It.set(t,O),a(O)}catch(w){i(w)}c(!1)};L(()=>{m([],"")},[e]);let{rows:$,next:u}=o;return n`<div class="branch" aria-busy=${l}>
    ${$.length>0&&n`<table class="table resellers few"><tbody>${$.map(Nt)}</tbody></table>`}
    ${r?n`<${D} problem=${r} retry=${()=>m($,u||"")} />`:u===""&&l?n`<p class="quiet">${s("list.loading")}</p>`:u?n`<button type="button" class="button wide" disabled=${l} onClick=${()=>m($,u)}>${s("tree.more")}</button>`:!$.length&&n`<p class="quiet">${s("tree.none")}</p>`}
  </div>`}var je=e=>W(e===null||!b("users:read")?null:`/users/${e}/alerts`);function mt({account:{id:e,username:t},alerts:o,changed:a}){let r=s("alert.title",{name:t}),i=H({name:"alert "+e,method:"PUT",path:`/users/${e}/alerts`,title:r,fields:{credits:o.balance_low?F(o.balance_low):""}}),l=Se(i.fields.credits);return Q(i,()=>{let c=i.answer.balance_low;a?.(i.answer),R(A(c?s("alert.set",{name:t,amount:P(c)}):s("alert.unset",{name:t})))}),n`<section class="panel"><h2>${r}</h2>
    <${K} form=${i} submit=${s("save")} unclear=${!!l.wrong} onSubmit=${()=>i.send({balance_low:l.amount||null})} onClose=${()=>R()}>
      <p>${s("alert.meaning")}</p>
      <${Ce} form=${i} typed=${l} label=${s("alert.field")} hint=${s("alert.hint")} required=${!1} />
    <//>
  </section>`}var $t=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",ut=(e,t)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(t);function On({whatsapp:e,telegram:t},o){let a=se(e||null,""),r=a?"":$t(t||null);return r?ut(r,o):ce(a,o)}function Bt({title:e,time:t,amount:o,none:a,points:r,ends:i,bars:l=!1}){let[c,m]=v(-1),$=rs(),u=r||[],p=Math.max(1,u.length),f=u[c]||u[u.length-1],w=f?s("chart.value",{time:f.name,amount:(l?P:F)(ae(f.value))}):" ",C=wn(u.reduce((h,{value:j})=>j>h?j:h,0n)),y=C[C.length-1],O=!l&&u.length?yn(u.map(h=>h.value),y):"",k=h=>{let{left:j,width:ze}=h.currentTarget.getBoundingClientRect();m(kn(h.clientX-j,ze,u.length))},N=h=>{h.pointerType==="mouse"&&m(-1)},g=h=>{let j=vn(h.key,f?u.indexOf(f):0,u.length);j!==void 0&&(h.preventDefault(),m(j))};return n`<figure class="plot">
    <figcaption id=${$}>${e}</figcaption>
    <p class="said">${a&&r?.every(h=>!h.value)?a:w}</p>
    <div class="scale" aria-hidden="true">${r&&[...C].reverse().map(h=>n`<span key=${h}>${F(ae(h))}</span>`)}</div>
    <div class="area" ...${u.length?{role:"slider",tabIndex:0,"aria-labelledby":$,"aria-valuemin":1,"aria-valuemax":u.length,"aria-valuenow":u.indexOf(f)+1,"aria-valuetext":w,onPointerMove:k,onPointerDown:k,onPointerLeave:N,onKeyDown:g}:{}}>
      <svg viewBox="0 0 ${p} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${C.slice(1).map(h=>`M0 ${100-Ie(h,y)}H${p}`).join("")} vector-effect="non-scaling-stroke" />
        ${l&&u.map(({key:h,value:j},ze)=>j>0n&&n`<rect key=${h} class=${ze===p-1?"last":""} x=${ze+.15} width="0.7" y=${100-Ie(j,y)} height=${Ie(j,y)} />`)}
        ${O&&n`<path class="below" d=${O+"V100H0Z"} /><path class="edge" d=${O} vector-effect="non-scaling-stroke" />`}
        ${c>=0&&c<u.length&&n`<path class="chosen" d="M${c+.5} 0V100" vector-effect="non-scaling-stroke" />`}
        <path class="axis" d="M0 0V100H${p}" vector-effect="non-scaling-stroke" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true"><span>${i[0]}</span><strong>${i[1]}</strong></div>
    <details><summary>${s("chart.table")}</summary>
      <table aria-labelledby=${$}><thead><tr><th scope="col">${t}</th><th scope="col">${o}</th></tr></thead>
        <tbody>${u.map(h=>n`<tr key=${h.key}><th scope="row">${h.name}</th><td>${F(ae(h.value))}</td></tr>`)}</tbody></table>
    </details>
  </figure>`}function Fn({days:e}){let t=e&&e.map(({day:a,balance:r})=>({key:+a,name:Qe(a),value:T(r)})),o=t?.length?[t[0].name,t[t.length-1].name]:[" ",""];return n`<${Bt} title=${s("chart.balance")} time=${s("chart.day")} amount=${s("amount")} points=${t} ends=${o} />`}var Tn=()=>W(b("lines:read")?"/reports/summary":null,{days:31,tree:M.haveBelow()?x().id:void 0}),_o=["extensions","activations","trials"],Oo=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function qn({of:{value:e,problem:t,reload:o}}){let a=e?.lines,r=e&&Mt(e.days.slice(-1)),i=e&&Mt(xn(e.days)),l=(c,m,$)=>n`<div class="tile" data-figure=${c}>
    <dt>${s("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${$===null?" ":s("figures.this-month",{amount:$})}</dd></div>`;return n`<section class="panel numbers"><h2>${s("figures")}</h2>
    ${t&&n`<${D} problem=${t} retry=${o} />`}
    <dl class="tiles">
      ${_o.map(c=>l(c,r&&B(r[c]),i&&B(i[c])))}
      ${l("spent",r&&F(r.spent),i&&F(i.spent))}
    </dl>
    <ul class="tiles">${Oo.map(([c,m])=>n`<li key=${c}><${S} class="tile" to=${m} data-count=${c}>
      <span class="figure">${a?B(a[c])+(a.capped?"+":""):" "}</span><span>${s(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function Rn({of:{value:e}}){let t=e&&e.days.map(a=>({key:a.day,name:vs(a.day),value:T(a.spent)})),o=t?[t[0].name,s("chart.today",{day:t[t.length-1].name})]:[" ",""];return n`<section class="panel"><${Bt} bars title=${s("figures.spent-daily")} time=${s("chart.day")} amount=${s("amount")} none=${s("figures.spent-none")} points=${t} ends=${o} /></section>`}var En=e=>e.split("").map(t=>t.normalize("NFD")[0].toLowerCase()).join("");function pt(e,t){if(!e||!t)return null;let o=En(e).indexOf(En(t));if(o>=0)return[o,o+t.length];let a=t.replace(/[\s+\-().]/g,""),r=/^\d{4,}$/.test(a)&&new RegExp(a.split("").join("[\\s+\\-().]*")).exec(e);return r?[r.index,r.index+r[0].length]:null}function Be({text:e,by:t}){let o=pt(e,t);return e&&o?n`${e.slice(0,o[0])}<mark>${e.slice(...o)}</mark>${e.slice(o[1])}`:e}function Ln({line:e}){_e();let t=Date.parse(e.expDate)>oe()?"reminder":"expired",o=s("line.remind",{name:e.username}),a=n`<${d} name="message-circle" />`;return an(ln(t))?n`<${S} class="button ghost only" to=${"/lines/"+e.id} aria-label=${o} title=${o} data-remind>${a}<//>`:n`<a class="button ghost only" href=${ce(se(e.whatsapp,e.country),at(t,e))} target="_blank" rel="noopener noreferrer"
      aria-label=${o} title=${o} data-remind>${a}</a>`}var dt=(e,t)=>n`<${Fo} key=${e.id} line=${e} filter=${t} />`;function Fo({line:e,filter:t}){let o=tt.use()[e.id],a=Et.use()===e.id,r=o&&o.updatedAt>e.updatedAt?{...e,...o}:e,[i,l]=v(""),[c,m,$]=Gs(t,e.id),{id:u,username:p,expDate:f,isTrial:w,effective:C,status:y}=r,O=!!y&&C!=="suspended"&&C!=="owner_blocked",k=O&&!w&&xs(f)<=2,N=t&&_.get().query.get("q")||"",g=pt(p,N)?null:[r.whatsapp,r.notes].find(j=>pt(j,N)),h=To(()=>{t&&!c&&$()});return n`<tr class=${[c&&"is-picked",O&&!w&&"is-active",!y&&!w&&"is-expired"].filter(Boolean).join(" ")} data-id=${u} ...${t?h:{}}>
    ${t&&n`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${$} aria-label=${s("select.line",{name:p})} /></label></td>`}
    <th scope="row" class="name clip"><${S} to=${"/lines/"+u} title=${p} translate=${!1} data-row><${Be} text=${p} by=${N} /><//></th>
    <td class="st"><${Me} line=${r} /></td>
    <td class="expiry clip">${!i&&n`<span title=${I(f)}>${De(f)}</span> <span class=${k?"rel soon":"rel"}>${Ss(f)}</span>`}<span class="told" role="status">${i&&n`<${d} name="check" />${i}`}</span>${g&&n`<span class="hit-in"><${Be} text=${g} by=${N} /></span>`}</td>
    <td class="phone clip"><${Be} text=${r.whatsapp} by=${N} /></td>
    <td class="notes clip quiet">${r.owner!==x().id&&n`<${qo} id=${r.owner} />`}${r.notes&&n`<span class="note-text"><${Be} text=${r.notes} by=${N} /></span>`}</td>
    <td class="does"><span>
      ${b("lines:spend")&&(w?n`<${S} class="button row-act" to=${`/lines/${u}?do=activate`} aria-label=${s("line.activate-title",{name:p})}>${s("line.activate")}<//>`:n`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${s("line.extend-title",{name:p})}
          onClick=${()=>{l(""),Et.set(u)}}>${s("line.extend")}</button>`)}
      <${Ln} line=${r} />
      ${b("lines:write")&&n`<${X} label=${s("more-about",{name:p})}>
        <${S} to=${`/lines/${u}?do=${w?"describe":"edit"}`}><${d} name="pencil" />${s("line.edit")}<//>
        <${S} to=${`/lines/${u}?do=${r.suspended?"resume":"suspend"}`}><${d} name=${r.suspended?"play":"circle-pause"} />${s(r.suspended?"line.resume":"line.suspend")}<//>
        ${b("lines:delete")&&n`<hr /><${S} class="bad" to=${`/lines/${u}?do=delete`}><${d} name="trash-2" />${s("line.delete")}…<//>`}<//>`}
      ${a&&!w&&n`<${Vs} line=${r} then=${j=>{j&&l(s("line.renewed",{until:De(j)}))}} />`}
    </span></td>
  </tr>`}function To(e){let t=ie({timer:0,done:!1}),o=()=>clearTimeout(t.current.timer);return{onPointerDown:a=>{t.current.done=!1,a.pointerType==="touch"&&(t.current.timer=setTimeout(()=>{t.current.done=!0,e()},500))},onPointerUp:o,onPointerCancel:o,onPointerMove:o,onClickCapture:a=>{t.current.done&&(t.current.done=!1,a.preventDefault(),a.stopPropagation())}}}function qo({id:e}){let t=et(e);return n`<span class="owner">${t?s("line.owner-name",{name:t}):s("line.owner-id",{id:e})}</span>`}function He(e,t={}){let o=Number(e.counterparty),a=e.line_username||e.counterparty_username,r=e.actor_name!==hs()&&e.actor_name,i=n`<span class="name">${s("kind."+e.kind)}${a&&n` <span translate=${!1}>${a}</span>`}${r&&n` <span class="quiet">${s("event.by",{name:r})}</span>`}<span class="quiet notes">${e.notes}</span></span>
    <span class="amount ${e.amount.startsWith("-")?"out":"in"}" translate=${!1}>${Ve(e.amount)}</span>
    <span class="quiet">${I(e.at)}</span><span class="quiet">${te("balance-after",{amount:F(e.balance)})}</span>`,l=e.line&&b("lines:read")?"/lines/"+e.line:o>0&&o!==x().id&&M.seeResellers()?"/resellers/"+o:"";return l?n`<${S} class="row movement" to=${l} ...${t}>${i}<//>`:n`<div class="row movement">${i}</div>`}function ft({plain:e=!1}){let t=H({name:"trial",method:"POST",path:"/lines/test",title:s("trial.new"),fields:{}}),{state:o,answer:a,problem:r}=t;return L(()=>{o==="done"&&J("/lines/"+a.id,{state:A(s("trial.done",{name:a.username}))})},[o]),n`<div class="trial" data-form=${o}>
    ${o==="unknown"?n`<${Xe} form=${t} />`:n`<button type="button" class=${e?"button":"button primary"} disabled=${t.frozen} onClick=${()=>t.send({})}><${d} name="plus" />${s(o==="sending"?"form.sending":"trial.new")}</button>`}
    ${o==="refused"&&r&&n`<${D} problem=${r} />`}
  </div>`}var Ro=24*36e5,Eo=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),Ht=()=>!x().is_admin&&b("users:write");function Dn(){let{query:e}=_.use();return e.get("do")==="alert"&&Ht()?n`<${Lo} />`:n`<${Do} />`}function Lo(){let e=je(x().id);return n`<${E} title=${s("nav.home")} up="/"><${le} of=${e}>${t=>n`<${mt} account=${x()} alerts=${t} />`}<//><//>`}function Do(){let e=!!x().is_admin,t=b("lines:read"),o=b("events:read"),a=!o&&b("ledger:read"),[r]=v(oe),i=O=>new Date(r+O*Ro).toISOString(),l=Tn(),c=Ye(t?"/lines":null,{isTrial:0,status:1,expires_before:i(7),limit:5},5),m=Ye(t?"/lines":null,{isTrial:0,effective:"expired",expires_after:i(-14),sort:"latest_expiry",limit:5},5),$=Ye(o?"/events":a?`/users/${x().id}/ledger`:null,o?{limit:5,order:"desc",type:Eo}:{limit:5},5),u=W(b("manage")?"/webhooks":null),p=ie(!1);p.current||=[t&&c,t&&m,t&&l,(o||a)&&$,b("manage")&&u].every(O=>!O||O.value||O.problem);let f=l.value?.lines.expiring_7d||0,w=l.value?.lines.expired_14d||0,C=t&&f>0&&b("lines:spend"),y=()=>{let O={isTrial:0,effective:"running",expires_after:i(0),expires_before:i(7)};J("/lines?when=soon&show=official&do=extend",{state:{picked:{filter:O}}})};return n`<${E} title=${s("nav.home")} actions=${b("lines:write")&&n`<${ft} plain=${C} />`}>
    ${p.current?n`<${Io} of=${u.value?.data} /><div class="cols">
      ${t&&n`<div class="stack">
        <${ht} title=${f?s("home.soon-n",{n:f,count:B(f)}):s("home.soon")} icon="calendar-clock" of=${c} lines none=${s("home.soon-none")} all="/lines?when=soon&show=official"
          action=${C&&n`<button type="button" class="button primary" onClick=${y}>${s("home.renew",{n:f,count:B(f)})}</button>`} />
        <${ht} title=${w?s("home.past-n",{n:w,count:B(w)}):s("home.past")} icon="user-round-x" of=${m} lines none=${s("home.past-none")} all="/lines?when=past&show=official" />
        <${qn} of=${l} />
      </div>`}
      <div class="stack">
        ${e?n`${b("ledger:read")&&n`<${$n} />`}<${Po} />`:n`<${Ao} lines=${l.value?.lines} />`}
        ${t&&n`<${Rn} of=${l} />`}
        ${o?n`<${ht} title=${s("home.activity")} of=${$} row=${nn} none=${s("activity.none")} all="/activity" />`:a&&n`<${ht} title=${s("home.movements")} of=${$} row=${O=>He(O)} none=${s("home.movements-none")} all="/statement" />`}
      </div>
    </div>`:n`<${ve} />`}
  <//>`}function Ao({lines:e}){let t=Z.use(),o=ws.use(),a=je(x().id),{prices:r}=Hs(),i=r?.find(u=>u.period==="1 month"),l=a.value?.balance_low,c=t&&(a.value||a.problem||!b("users:read"))?it(t.credits,l,i?.credits):"",m=t&&i?T(t.credits)/T(i.credits):0n,$=l?s("alert.is",{amount:F(l)}):s(a.value?"alert.new":"alert");return n`<section class="panel own">
    <header><h2>${s("home.balance")}</h2>${Ht()&&n`<button type="button" class="button ghost only" aria-label=${$} title=${$} data-alert onClick=${()=>Y("alert")}><${d} name="bell" /></button>`}</header>
    <${Ze} of=${t} />
    ${!t&&o&&n`<${D} problem=${o} retry=${ys} />`}
    <p class="stock">${c?n`<span data-low=${c}><${ke} tone="warn" icon="circle-alert">${s("home.low",{amount:F(c)})}<//></span>`:i&&m>0n?n`<span class="quiet">${s("home.enough",{n:Number(m),count:B(m),period:Us(i.period)})}</span>`:" "}</p>
    ${Ht()&&n`<${Mo} balance=${t?.credits} lines=${e} low=${!!c} />`}
  </section>`}function Mo({balance:e="0",lines:t,low:o}){let{staff:a,username:r}=x(),{messages:i}=_e(),l=t?.expiring_7d||0,c=s(l?"ask.message-soon":"ask.message",{n:l,count:B(l),name:a?s("acts-for",{name:a.username,account:r}):r,balance:P(e)});return n`<div class=${o?"ask urgent":"ask"}><a class="button" href=${On(i?.inherited||{},c)} target="_blank" rel="noopener noreferrer"><${d} name="hand-coins" />${s("ask")}</a>
    <${Pe} text=${c} label=${s("ask.copy")} /></div>`}function Po(){let{value:e,problem:t}=W("/service");return t?null:n`<section class="panel service"><h2>${s("home.service")}</h2>
    <${G} of=${[[s("home.version"),e?e.version:" "],[s("home.store"),e?e.store:" "],[s("home.started"),e?I(e.started_at):" "],[s("home.backup"),e?e.last_backup_at&&I(e.last_backup_at):" "]]} /></section>`}function Io({of:e=[]}){let t=e.filter(o=>!o.enabled&&o.disabled_reason!=="requested");return t.length>0&&n`<${U} tone="unsure"><p><strong>${s("home.still",{n:t.length})}</strong></p>
    ${t.map(o=>n`<p key=${o.id}><${S} to=${"/webhooks/"+o.id}>${cn(o)}<//> ${mn(o)[0]}</p>`)}<//>`}function ht({title:e,icon:t="",of:o,row:a,lines:r=!1,none:i,all:l,action:c}){return n`<section class="panel"><header><h2>${t&&n`<${d} name=${t} />`}${e}</h2>${c}</header>
    <${le} of=${o}>${({data:m,next_cursor:$})=>n`
      ${m.length?r?n`<table class="table customers few"><tbody>${m.slice(0,5).map(u=>dt(u))}</tbody></table>`:n`<ul class="rows">${m.slice(0,5).map(u=>n`<li key=${u.id}>${a?.(u)}</li>`)}</ul>`:n`<p class="quiet">${$?s("home.unsure"):i}</p>`}
      ${($||m.length>0)&&n`<p class="all"><${S} to=${l}>${s("home.all")}<//></p>`}`}<//>
  </section>`}var Ut=["running","expired","suspended","owner_blocked"],No=["newest","expiry","latest_expiry","username"],An=["q","username","mine","owner","tree","show","status","when"],de={soon:["expiring_7d",{when:"soon",show:"official",status:""}],past:["expired_14d",{when:"past",show:"official",status:""}],running:["running",{when:"",show:"official",status:"running"}],trials:["trials",{when:"",show:"trials",status:"running"}]},Mn=e=>e.get("days")?"":Object.keys(de).find(t=>Object.entries(de[t][1]).every(([o,a])=>(o==="status"?Fe(e):e.get(o)||"")===a))||"",bt=e=>Number(/^([1-9]|1[0-4])$/.exec(e.get("days")||"")?.[0]||7),Fe=e=>Ut.find((t,o)=>[t,String(1-o)].includes(e.get("status")||""))||"";function Pn(e,t,o){let a=e.get("when"),r=e.get("show"),i=Fe(e),l=c=>new Date(t+c*864e5).toISOString();return{q:e.get("q"),username:e.get("username"),owner:e.get("mine")?o:e.get("owner"),tree:e.get("tree"),isTrial:r==="trials"?"1":r==="official"?"0":void 0,effective:i||(a==="soon"?"running":a==="past"?"expired":void 0),expires_after:a==="soon"?l(0):a==="past"?l(-14):void 0,expires_before:a==="soon"?l(bt(e)):a==="past"&&i&&i!=="expired"?l(0):void 0}}function Wt(e){let t=e.get("when"),o=Fe(e);return t==="past"||o==="expired"?"latest_expiry":t==="soon"||o?"expiry":"newest"}var zt=e=>No.find(t=>t===e.get("sort"))||Wt(e);function In(e,t){let o=zt(e);return o===(t.effective||t.expires_after||t.expires_before?"expiry":"id")?void 0:o}function Nn(e,t,o){let a=e.get("mine")?String(t):e.get("owner");return a?{account:a}:{tree:e.get("tree")||(o?String(t):void 0)}}function jn(e){let t=i=>e.get(i)||"",o=Fe(e),a=t("show"),r=t("when");return[{name:"q",key:t("q")&&"filter.text",values:{text:t("q")}},{name:"username",key:t("username")&&"filter.begins",values:{text:t("username")}},{name:"status",key:o&&"filter."+o},{name:"show",key:/^(trials|official)$/.test(a)?"filter."+a:""},{name:"when",key:/^(soon|past)$/.test(r)?"filter.says-"+r:"",values:{n:bt(e)}},{name:"mine",key:t("mine")&&"filter.mine"},...["owner","tree"].map(i=>({name:i,key:t(i)&&"reseller.by-id",values:{id:t(i)}}))].filter(({key:i})=>i)}var Bn=({name:e,label:t,value:o,of:a,choose:r,always:i})=>n`<p class="menu-head">${t}</p>
  ${[...i?[]:[["",s("filter.any")]],...a].map(([l,c])=>n`<button key=${l} type="button" aria-pressed=${o===l} data-filter=${e} data-value=${l} onClick=${()=>r(l)}>
    <${d} name=${o===l?"check":""} />${c}</button>`)}`;function Hn(e){let{name:t,label:o,value:a,of:r,choose:i}=e,l=r.find(([c])=>c===a)?.[1];return n`<span class="filter-of" data-of=${t}>
    <${X} label=${l?`${o}: ${l}`:o} look=${l?"filter is-set":"filter"} face=${n`${l?n`<span class="what">${o}:</span> ${l}`:o}${!l&&n`<${d} name="chevron-down" />`}`}><${Bn} ...${e} /><//>
    ${l&&n`<button type="button" class="filter-x" aria-label=${s("filter.remove",{filter:l})} onClick=${()=>i("")}><${d} name="x" /></button>`}
  </span>`}var gt=({of:e,children:t})=>n`<span class="filters-all"><${X} label=${s("filter.more")} look="chip" face=${n`<${d} name="list-filter" />${s("filter.more")}`}>
  ${e.map(o=>n`<${Bn} key=${o.name} ...${o} />`)}${t}<//></span>`;var jo=e=>jn(e).map(({name:t,key:o,values:a})=>({name:t,text:s(o,a)})),Bo={...Object.fromEntries(An.map(e=>[e,""])),days:"",sort:""};function Un(){let{query:e}=_.use(),[t,o]=v(!1),a=e.get("do")||"",r=$s("picked"),i=Pn(e,e.get("when")?ps():0,x().id),l=JSON.stringify(i),c=Js().length>0,m=!!Ys(l)||t,$=jo(e);if(Object.hasOwn(Lt,a)&&r&&b(Lt[a]))return n`<${sn} key=${a} action=${a} picked=${r} said=${$.map(({text:g})=>g)} />`;let u={...i,sort:In(e,i)},p=zt(e),f=Wt(e),w=g=>z({sort:g===f?"":g}),C=g=>g.map(h=>[h,s("filter."+h)]),y=[{name:"status",label:s("filter.status"),value:Fe(e),of:C(Ut)},{name:"show",label:s("filter.show"),value:e.get("show")||"",of:C(["official","trials"])},{name:"when",label:s("filter.when"),value:e.get("when")||"",of:[["soon",s("filter.soon",{n:bt(e)})],["past",s("filter.past")]]},...M.haveBelow()?[{name:"mine",label:s("filter.whose"),value:e.get("mine")||"",of:[["1",s("filter.mine")]]}]:[],{name:"sort",label:s("sort"),value:p,always:!0,of:[f,...["newest","expiry","latest_expiry","username"].filter(g=>g!==f)].map(g=>[g,s("sort."+g)])}].map(g=>({...g,choose:h=>g.name==="sort"?w(h):z({[g.name]:h,...g.name==="when"&&{days:""}})})),O=$.filter(({name:g})=>!y.some(h=>h.name===g&&h.value)),k=n`<tr>
    ${c&&n`<th class="pick"><${en} filter=${l} /></th>`}
    <${wt} name="name" label=${s("customer")} orders=${[["username","ascending"]]} order=${p} choose=${w} />
    <th class="st">${s("filter.status")}</th>
    <${wt} name="expiry" label=${s("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${p} choose=${w} />
    <th class="phone">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`,N=()=>{st.set(null),o(!1)};return n`<${E} title=${s("nav.lines")} actions=${n`<${At} query=${u} />
      ${c&&n`<button type="button" class="button ghost only thumb" aria-label=${s("select.some")} title=${s("select.some")} aria-pressed=${m} onClick=${()=>m?N():o(!0)}><${d} name="square-check" /></button>`}
      ${b("lines:write")&&n`<${ft} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${s("chips")}><${gt} of=${y}><hr /><${At} query=${u} look="" /><//><${Ho} query=${e} /></nav>
      ${m?n`<${tn} filter=${l} query=${i} listed=${u} leave=${N} />`:n`<div class="list-bar">${y.map(g=>g.name!=="sort"&&n`<${Hn} key=${g.name} ...${g} />`)}
          ${O.map(({name:g,text:h})=>n`<button key=${g} type="button" class="chip is-on" aria-label=${s("filter.remove",{filter:h})} onClick=${()=>z({[g]:""})}>${h}<${d} name="x" /></button>`)}
          ${$.length>0&&n`<button type="button" class="button link" onClick=${()=>z(Bo)}>${s("filter.clear")}</button>`}</div>`}
      <${xe} path="/lines" query=${u} label=${s("nav.lines")} head=${k} look="customers" count=${js} empty=${$.length?s("lines.none-such"):s("lines.none")}
        row=${g=>dt(g,c?l:void 0)} />
    </div>
  <//>`}function wt({name:e,label:t,orders:o,order:a,choose:r}){let i=o.findIndex(([c])=>c===a),l=o[i]?.[1];return n`<th class=${e} scope="col" aria-sort=${l}><button type="button" class="sort" onClick=${()=>r(o[(i+1)%o.length][0])}>${t}<${d} name=${l?l==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function Ho({query:e}){let t=tt.use(),o=W("/reports/summary",{days:1,...Nn(e,x().id,M.haveBelow())}),[a]=v(t);L(()=>{t!==a&&o.reload()},[t]);let r=o.value?.lines,i=Mn(e),l=!["status","show","when"].some(m=>e.get(m)),c=(m,$,u,p)=>n`<a key=${m} href=${Ke("/lines?"+new URLSearchParams(u))} aria-current=${$?"page":void 0} data-tab=${m}
    onClick=${f=>{f.preventDefault(),z({...u,days:""})}}>${s("tabs."+m)}${p!==void 0&&n` <b>${B(p)}${r?.capped?"+":""}</b>`}</a>`;return n`${c("all",l,{status:"",show:"",when:""},void 0)}
    ${Object.entries(de).map(([m,[$,u]])=>c(m,m===i,u,r?.[$]))}`}var Te=({form:e})=>n`
  <${q} form=${e} name="country" label=${s("country")} hint=${s("country.hint")} maxlength="64" required />
  <${q} form=${e} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
  <${q} form=${e} name="telegram" label=${s("telegram")} maxlength="64" />
  <${q} form=${e} name="email" label=${s("email")} type="email" inputmode="email" maxlength="254" />
  <${q} form=${e} name="notes" label=${s("notes")} kind="textarea" rows="3" maxlength="2000" />`,qe=e=>({country:e.country,whatsapp:e.whatsapp.trim()||null,telegram:e.telegram.trim()||null,email:e.email.trim()||null,notes:e.notes.trim()||null});function Wn({id:e}){let{query:t}=_.use(),o=Ge(`/lines/${e}`,!0),{reading:a}=_e();return n`<${E} title=${o.value?.username||s("line.title")} named=${o.value} up="/lines">
    <${le} of=${a&&o.value?{loading:!0}:o}>${r=>n`<${Uo} line=${r} doing=${t.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function Uo({line:e,doing:t,changed:o}){let a=zs(e),r=!e.isTrial,i=b("lines:spend"),l=b("lines:write"),c={activate:!r&&i&&Ko,extend:r&&i&&Qo,edit:r&&l&&Vo,describe:l&&Go,suspend:l&&Xo,resume:l&&Zo,delete:b("lines:delete")&&ea},m=Object.hasOwn(c,t)&&c[t],$=(u,p=!1)=>n`<button type="button" class=${p?"button primary":"button"} onClick=${()=>Y(u)}>${s("line."+u)}</button>`;return m?n`<${m} line=${e} payer=${a} changed=${o} />`:n`
    <p class="glance"><${Me} line=${e} badge /> <${qt} at=${e.expDate} /></p>
    ${/suspended|blocked/.test(e.effective||"")&&n`<${U}><p>${s(`line.${e.effective}-means`)}</p><${Kn} line=${e} /><//>`}
    <div class="buttons">
      ${c.extend&&$("extend",!0)}${c.edit&&$("edit")}${c.activate&&$("activate",!0)}
      ${l&&n`${$("describe")}${$(e.suspended?"resume":"suspend")}`}
      ${c.delete&&n`<button type="button" class="button danger-plain" onClick=${()=>Y("delete")}>${s("line.delete")}</button>`}
    </div>
    <div class="cols person">
    <${zo} line=${e} />
    <div class="stack"><section class="panel">
      <h2>${s("line.record")}</h2>
      <${G} of=${[[s("whatsapp"),e.whatsapp],[s("telegram"),e.telegram],[s("email"),e.email],[s("country"),Je(e.country)],[s("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[s("line.owner"),e.owner===x().id?null:a?.username||s("reseller.by-id",{id:e.owner})],[s("line.external-id"),e.external_id],[s("line.platform"),e.idPlatform],[s("line.id"),e.id],[s("created"),I(e.createdAt)],[s("changed"),I(e.updatedAt)]]} />
    </section>
    ${e.metadata&&n`<section class="panel members">
      <h2>${s("line.metadata")}</h2>
      <${G} of=${Object.entries(e.metadata).map(([u,p])=>[n`<span class="name" translate=${!1}>${u.split(/(?<=_)/).map(f=>n`${f}<wbr />`)}</span>`,n`<span class="text" translate=${!1}>${p||"—"}</span>`])} />
    </section>`}</div>
    <${Wo} line=${e.id} />
    </div>`}var Wo=({line:e})=>n`<${ot} of=${{line:e}} latest=${nt({line:e})} />`;function zo({line:e}){let[t,o]=v(""),a=t||rn(e,oe()),r=at(a,e),i=se(e.whatsapp,e.country),l=$t(e.telegram),c=(m,$,u)=>n`<a class=${$==="send"?"button":"button send"} href=${m} target="_blank" rel="noopener noreferrer"><${d} name=${$} />${u}</a>`;return n`<section class="panel">
    <h2>${s("line.access")}</h2>
    <${G} of=${[[s("username"),n`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Pe} text=${e.username} label=${s("line.copy-name")} /></span>`],[s("password"),e.password===null?n`<span class="quiet">${s("line.password-hidden")}</span>`:n`<span class="copied"><code translate=${!1} data-password>${e.password}</code><${Pe} text=${e.password} label=${s("line.copy-password")} /></span>`]]} />
    <fieldset class="choice few short"><legend class="hush">${s("line.message")}</legend>
      ${on.map(m=>n`<label key=${m}><input type="radio" name="message" value=${m} checked=${m===a} onChange=${()=>o(m)} /><span>${s("messages."+m)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${a}>${r}</p>
    <div class="buttons">
      ${c(ce(i,r),"message-circle",i?s("line.whatsapp-to",{number:Is(i)}):s("line.whatsapp"))}
      ${c(ut(l,r),"send",l?s("line.telegram-to",{name:"@"+l}):s("line.telegram"))}
      <${qs} text=${r} label=${s("line.copy")} />
    </div>
    ${e.whatsapp&&!i&&n`<p class="quiet">${s("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
  </section>`}function Ko({line:e,payer:t,changed:o}){let a=s("line.activate-title",{name:e.username}),r=H({name:"activate "+e.id,method:"PATCH",path:"/lines/active/"+e.id,title:a,payer:e.owner,fields:{username:e.username,password:e.password||"",credits:"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:i,fields:l}=r;return Q(r,()=>{o(i),R(A(s("line.activated",{name:i.username,until:I(i.expDate)}),{payer:e.owner,key:r.key}))}),n`<section class="panel"><h2>${te("line.activate-title",{name:e.username})}</h2>
    <${K} form=${r} submit=${l.credits?s("line.activate-for",{cost:P(l.credits)}):s("line.activate")} ready=${l.credits!==""} onClose=${()=>R()}
      onSubmit=${()=>r.send({...l,whatsapp:l.whatsapp.trim()||null,notes:l.notes.trim()||null})}>
      <${Ws} form=${r} />
      <${Ks} payer=${t} form=${r} />
      <${zn} form=${r} />
    <//>
  </section>`}var zn=({form:e,whatsapp:t=!1})=>n`
  <${q} form=${e} name="username" label=${s("username")} maxlength="64" required />
  <${q} form=${e} name="password" label=${s("password")} minlength="4" maxlength="128" required />
  <${q} form=${e} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" required=${t} />
  <${q} form=${e} name="country" label=${s("country")} hint=${s("country.hint")} maxlength="64" required />
  <${q} form=${e} name="notes" label=${s("notes")} kind="textarea" rows="3" maxlength="2000" />`,Qo=({line:e,payer:t,changed:o})=>n`<section class="panel"><h2>${te("line.extend-title",{name:e.username})}</h2>
  <${Qs} line=${e} payer=${t} onClose=${()=>R()} then=${(a,r)=>{o(a),R(A(s("line.extended",{name:a.username,until:I(a.expDate)}),{payer:e.owner,key:r}))}}><p><${Me} line=${e} /> <${qt} at=${e.expDate} /></p><//>
</section>`;function Vo({line:e,changed:t}){let o=s("line.edit-title",{name:e.username}),a=H({name:"edit "+e.id,method:"PATCH",path:"/lines/"+e.id,title:o,fields:{username:e.username,password:e.password||"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:r,fields:i}=a;return Q(a,()=>{t({...e,...r}),R(A(s("line.edited",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${K} form=${a} submit=${s("save")} onSubmit=${()=>a.send({...i,notes:i.notes.trim()||null})} onClose=${()=>R()}>
      <${zn} form=${a} whatsapp />
    <//>
  </section>`}var Jo=e=>Object.entries(e||{}).map(([t,o])=>`${t}: ${o.replaceAll(`
`,`
  `)}`).join(`
`);function Yo(e){let t=new Map,o="",a="";for(let r of e.split(`
`))if(t.size&&r.startsWith("  "))t.set(o,t.get(o)+`
`+r.slice(2));else if(r.trim()){let[,i="",l=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!i||t.has(i))&&(a||=s("line.metadata.row",{row:r})),t.set(o=i,l)}return{metadata:t.size?Object.fromEntries(t):null,wrong:a}}function Go({line:e,changed:t}){let o=s("line.describe-title",{name:e.username}),a=H({name:"describe "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:o,fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",external_id:e.external_id||"",metadata:Jo(e.metadata||null)}}),{answer:r,fields:i}=a,{metadata:l,wrong:c}=Yo(i.metadata),[m,$]=v(a.restored);return Q(a,()=>{t(r),R(A(s("line.described",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${K} form=${a} submit=${s("save")} unclear=${!!c} onClose=${()=>R()}
      onSubmit=${()=>a.send({...qe(i),external_id:i.external_id.trim()||null,metadata:l})}>
      <${Te} form=${a} />
      <${q} form=${a} name="external_id" label=${s("line.external-id")} hint=${s("line.external-id.hint")} maxlength="64" />
      <${q} form=${a} name="metadata" label=${s("line.metadata")} hint=${s("line.metadata.hint")} wrong=${m&&c} kind="textarea"
        rows=${Math.min(i.metadata.split(`
`).length+3,21)} onBlur=${()=>$(!0)} />
    <//>
  </section>`}var Kn=({line:{suspension_reason:e}})=>e&&n`<${G} of=${[[s("reason"),n`<span class="text">${e}</span>`]]} />`,Qn=({line:{id:e,username:t},changed:o,name:a,...r})=>n`<${rt} name=${`${a} ${e}`} path=${`/lines/${e}/suspension`}
  title=${s(`line.${a}-title`,{name:t})} submit=${s("line."+a)} ...${r}
  then=${i=>{o(i),R(A(s(`line.${a}-done`,{name:t})))}} />`,Xo=({line:e,changed:t})=>n`<${Qn} line=${e} changed=${t} name="suspend" method="PUT" danger meaning=${s("line.suspended-means")} fields=${{reason:""}}>
  ${o=>n`<${lt} form=${o} name=${e.username} />`}<//>`,Zo=({line:e,changed:t})=>n`<${Qn} line=${e} changed=${t} name="resume" method="DELETE" meaning=${s("line.resume-meaning")}>${()=>n`<${Kn} line=${e} />`}<//>`;function ea({line:e}){let t=s("line.delete-title",{name:e.username}),o=H({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:t,fields:{typed:""},secret:["typed"]});return Q(o,()=>ms("/lines",A(s("line.deleted",{name:e.username})))),n`<section class="panel"><h2>${t}</h2>
    <${K} form=${o} danger submit=${s("line.delete")} ready=${ee(o.fields.typed)===e.username} onSubmit=${()=>o.send()} onClose=${()=>R()}>
      <p>${s("line.delete-meaning")}</p>
      <${q} form=${o} name="typed" label=${s("line.delete-type",{name:e.username})} required />
    <//>
  </section>`}function yt({name:e,label:t,to:o}){let{path:a,query:r}=_.use(),i=!!o&&a!==o,l=i?"":r.get(e)||"",[c,m]=v(l),$=ie(0);return L(()=>{$.current||m(l)},[l,a]),L(()=>()=>clearTimeout($.current),[]),n`<label class="search"><${d} name="search" />
    <input type="search" data-search value=${c} onInput=${f=>{let w=f.target.value;m(w),clearTimeout($.current),i||($.current=setTimeout(()=>{$.current=0,z({[e]:ee(w)})},250))}} onKeyDown=${f=>{f.key==="Enter"&&i&&ee(c)&&J(`${o}?${new URLSearchParams({[e]:ee(c)})}`)}} aria-label=${t} placeholder=${t}
      autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" />${o&&n`<kbd class="key" aria-hidden="true">/</kbd>`}</label>`}var ta=500,Vn={low:e=>!!Ne(e),blocked:e=>!e.active_tree},Jn=({credits:e},{credits:t})=>T(e)<T(t)?-1:+(T(e)>T(t)),Yn=["balance","-balance"];function Gn(e){let t=new URLSearchParams(location.search);for(let[o,a]of Object.entries(e))a?t.set(o,a):t.delete(o);us({},t.size?"?"+t:""),_.set({..._.get(),query:t})}function Xn(){let{query:e}=_.use(),[t,o]=v(null);if(e.get("do")==="create"&&M.createResellers())return n`<${sa} />`;let a=e.get("q"),r=!!e.get("all")||!!a,i=t!==!1&&e.get("view")||"",l=t!==!1&&Yn.find(k=>k===e.get("sort"))||"",c=r?{q:a}:{master:x().id},m=(k,N)=>k.filter(g=>g.id!==x().id&&Vn[N]?.(g)!==!1),$=k=>t&&!a&&m(t,k).length,u=k=>{let N=m(k,i);return l?N.sort((g,h)=>l==="balance"?Jn(g,h):Jn(h,g)):N},p=(k,N,g,h)=>n`<a key=${k} href=${Ke("/resellers?"+new URLSearchParams(g))} aria-current=${N?"page":void 0} data-tab=${k}
    onClick=${j=>{j.preventDefault(),(g.all?r&&!a:!r)?Gn({view:g.view||""}):z({q:"",all:"",view:"",...g})}}>${s("resellers."+k)}${typeof h=="number"&&n` <b>${B(h)}</b>`}</a>`,f={name:"sort",label:s("sort"),value:l,always:!0,of:["",...Yn].map(k=>[k,s("sort."+(k||"oldest"))]),choose:k=>Gn({sort:k})},w=t?n`<${wt} name="num bal" label=${s("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${l} choose=${f.choose} />`:n`<th class="num bal">${s("balance")}</th>`,[C,...y]=s("reseller.new").split(" "),O=n`<tr><th class="name">${s("reseller.title")}</th>${w}<th class="sit">${s("filter.status")}</th><th class="last">${s("reseller.recharged")}</th>
    <th class="tel">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`;return n`<${E} title=${s("nav.resellers")} actions=${n`<${Dt} of="users" query=${c} />
      ${M.createResellers()&&n`<button type="button" class="button primary" onClick=${()=>Y("create")}><${d} name="plus" /><span>${C}<span class="words"> ${y.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${s("chips")}><${gt} of=${t?[f]:[]}><hr /><${Dt} of="users" query=${c} look="" /><//>
        ${p("direct",!r&&!i,{},!r&&$(""))}
        ${t!==!1&&Object.keys(Vn).map(k=>p(k,i===k,{view:k,...e.get("all")&&{all:"1"}},$(k)))}
        ${p("all",r&&!i,{all:"1"},r&&$(""))}</nav>
      <div class="filters" role="search"><${yt} name="q" label=${s("resellers.search")} /></div>
      <${xe} path="/users" query=${c} row=${Nt} label=${s("nav.resellers")} head=${O} look="resellers" size=${ta} arrange=${u} told=${o}
        count=${k=>s("resellers.count",{n:k,count:B(k)})} empty=${s(a||i?"resellers.none-such":"resellers.none")} />
    </div>
    <${ct} then=${ue} />
  <//>`}function sa(){let e=Z.use(),t=H({name:"create",method:"POST",path:"/users",title:s("reseller.new"),secret:["password"],fields:{username:"",password:dn(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:pe.get()}}),o={...t.fields,country:t.fields.country??e?.country??""},a={...t,fields:o},{answer:r}=a,i=Se(o.credits,!0),l=a.frozen?a.said().credits:i.amount;Q(a,()=>{let m=r.credits!=="0";un.set({of:"reseller "+r.id,secret:o.password}),J("/resellers/"+r.id,{replace:!0,state:A(s("reseller.created",{name:r.username}),m?{payer:r.id,key:a.key}:{})})});let c=()=>a.send({username:o.username,password:o.password,is_master:o.is_master,credits:l,language:o.language,...qe(o)});return n`<${E} title=${s("reseller.new")} up="/resellers"><section class="panel">
    <${K} form=${a} submit=${l&&T(l)>0n?s("reseller.create-amount",{amount:P(l)}):s("reseller.create")} unclear=${!!i.wrong} onSubmit=${c} onClose=${()=>R()}>
      <${q} form=${a} name="username" label=${s("username")} maxlength="64" required />
      <${q} form=${a} name="password" label=${s("password")} hint=${s("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!o.is_master} disabled=${a.frozen}
        onChange=${m=>a.set({is_master:m.target.checked?1:0})} />${s("reseller.is-master")}</label>
      ${b("credits:move")&&n`<${Ce} form=${a} typed=${i} label=${s("reseller.first-credits")} hint=${s(x().is_admin?"amount.issued":"amount.own")} />`}
      <${Te} form=${a} />
      <${q} form=${a} name="language" label=${s("language")} kind="select">
        ${Object.entries(Le).map(([m,$])=>n`<option key=${m} value=${m} lang=${m}>${$}</option>`)}<//>
    <//>
  </section><//>`}var Kt=["month","last","dates"],We=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(t=>String(t).padStart(2,"0")).join("-"),Ue=(e,t)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+t);function Zn(e){let[,t,o,a]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return t?new Date(Number(t),Number(o)-1,Number(a)):void 0}function eo(e,t){let o=Kt.find(c=>c===e.get("period"))||"month",a=Ue(new Date(t),0),r=c=>new Date(a.getFullYear(),a.getMonth()+c,1);if(o==="last")return{which:o,from:r(-1),to:r(0),last:Ue(r(0),-1)};if(o==="month")return{which:o,from:r(0),to:r(1),last:a};let[i,l]=[Zn(e.get("from"))||r(0),Zn(e.get("to"))||a].sort((c,m)=>c.getTime()-m.getTime());return{which:o,from:i,to:Ue(l,1),last:l}}function to(e){let t=0n,o=0n;for(let{amount:a}of e)a.startsWith("-")?o-=T(a):t+=T(a);return{came:ae(t),went:ae(o)}}function so(e,t,{from:o,last:a}){let r=[],i=t,l=e.length-1;for(let c=o;c<=a;c=Ue(c,1)){for(let m=Ue(c,1);l>=0&&new Date(e[l].at)<m;l--)i=e[l].balance;r.push({day:c,balance:i})}return r}async function na(e,t,o){let a=[];for(let r="";;){let{data:i,next_cursor:l,opening:c,closing:m}=await is("GET",e,{query:{...t,limit:500,cursor:r},signal:o});if(a.push(...i),l===null)return{entries:a,opening:c,closing:m};r=l}}function kt({account:e}){let{query:t}=_.use(),o=eo(t,oe()),a={from:o.from.toISOString(),to:o.to.toISOString()},r=`/users/${e.id}/ledger`,i=W(r,a,na),l=i.value,c=ks(o.from,o.last),m=!e.is_admin&&n`<${oa} of=${l} />`,$=p=>z({period:p==="month"?"":p,from:"",to:"",...p==="dates"&&{from:We(o.from),to:We(o.last)}}),u=(p,f)=>n`<label>${s("statement."+p)} <input class="input" type="date" name=${p} required
    value=${We(f)} max=${We(new Date(oe()))} onChange=${w=>{w.target.value&&z({[p]:w.target.value})}} /></label>`;return n`
    <${hn} title=${s("print.statement",{name:e.username})} more=${()=>n`<p>${c}</p>
      ${l?n`${m}<ul class="rows">${l.entries.map(p=>n`<li>${He(p)}</li>`)}</ul>`:s("list.loading")}`} />
    <div class="filters period">
      <div class="seg" role="group" aria-label=${s("statement.period")}>
        ${Kt.map(p=>n`<button key=${p} type="button" aria-pressed=${p===o.which} onClick=${()=>$(p)}>${s("statement."+p)}</button>`)}
      </div>
      ${o.which==="dates"&&n`${u("from",o.from)}${u("to",o.last)}`}
      <span class="quiet" role="status">${c}</span>
    </div>
    ${i.problem&&n`<${D} problem=${i.problem} retry=${i.reload} />`}
    ${m&&n`${m}
      <${Fn} days=${l&&so(l.entries,l.opening,o)} />`}
    <div class="buttons">
      <a class="button" href=${Xs("ledger",{account:e.id,...a})} download=""><${d} name="download" />${s("export")}</a>
      <button type="button" class="button" disabled=${!l} onClick=${()=>print()}>${s("print")}</button>
    </div>
    <${xe} path=${r} query=${a} row=${p=>He(p,{"data-row":!0})}
      label=${s("nav.statement")} empty=${s("statement.none")} />`}function oa({of:e}){let{came:t,went:o}=to(e?e.entries:[]),a=i=>T(i)?Ve(i):"0",r=[[s("statement.opening"),e&&F(e.opening)],[s("statement.in"),a(t)],[s("statement.out"),a("-"+o)],[s("statement.closing"),e&&F(e.closing)]];return n`<dl class="sums panel" aria-busy=${!e}>${r.map(([i,l])=>n`<div key=${i}><dt>${i}</dt><dd>${e?l:"…"}</dd></div>`)}</dl>`}function Re(e){let t=e.id===x().id;return{mine:t,write:b("users:write"),moves:M.manage(e,"credits:move"),blocks:M.manage(e,"users:write"),resets:M.manage(e,"manage"),held:b("users:read")&&(t?!e.is_admin:M.manage(e,""))}}function oo({id:e}){let{query:t}=_.use(),o=Ge(`/users/${e}`),a=o.value,[r,i]=v(0),l=je(a&&Re(a).held?a.id:null),c=t.get("do")||"",m=a&&aa(a,c),$=a&&Re(a).moves&&/^(topup|reclaim)$/.test(c),u=p=>{if(i(r+1),$)return R(p);ue(p),o.reload()};return pn(),n`<${E} title=${a?.username||s("reseller.title")} named=${a} up="/resellers" actions=${a&&!m&&n`<${ra} reseller=${a} />`}>
    <${le} of=${o}>${()=>m?n`<${m} reseller=${a} alerts=${l} />`:n`<${la} reseller=${a} alerts=${l} turn=${r} />`}<//>
    ${$?n`<${Pt} key=${c} reseller=${a} name=${c} onClose=${p=>p?u(p):R()} />`:n`<${ct} then=${u} />`}
  <//>`}function aa(e,t){let{write:o,held:a,blocks:r,resets:i}=Re(e),l={block:r&&!e.block_reseller&&ua,unblock:r&&e.block_reseller&&da,contact:o&&no,password:o&&no,alert:a&&o&&ha,totp:i&&fa};return Object.hasOwn(l,t)&&l[t]}function ra({reseller:e}){let{mine:t,write:o,moves:a,held:r,resets:i}=Re(e),l=(c,m,$)=>n`<button type="button" onClick=${()=>Y(c)}><${d} name=${m} />${$}</button>`;return n`${a&&n`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>ne.set({reseller:e,name:"topup"})}><${d} name="plus" />${s("reseller.topup")}</button>`}
    ${o&&n`<button type="button" class="button" onClick=${()=>Y("contact")}>${s("reseller.contact")}</button>`}
    ${(a||t||r&&o||i)&&n`<${X} label=${s("more-about",{name:e.username})} look="button only">
      ${a&&n`<button type="button" onClick=${()=>ne.set({reseller:e,name:"reclaim"})}><${d} name="coins" />${s("reseller.reclaim")}</button>`}
      ${r&&o&&l("alert","bell",s("alert"))}
      ${t&&n`<${S} to="/sessions"><${d} name="shield-check" />${s("nav.sessions")}<//>`}
      ${i&&n`<hr />${l("totp","shield-x",s("reseller.totp")+"…")}`}<//>`}`}function la({reseller:e,alerts:t,turn:o}){let{moves:a,blocks:r,mine:i,held:l}=Re(e),{id:c,username:m}=e,$={account:c},u=nt($),p=e.is_admin?"admin":e.is_master?"master":"reseller",f=t.value?.balance_low,w=Ne(e,f),C=!b("events:read")||u.value||u.problem;return n`
    <p class="glance"><span class="badge"><${d} name="store" />${s("role."+p)}</span>${!e.active_tree&&n`<${jt} reseller=${e} badge />`}<span class="quiet">${s("reseller.since",{date:Qe(e.createdAt)})}</span></p>
    <${fn} of=${"reseller "+c} name=${m} number=${se(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&n`<section class="panel"><h2>${s("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${Ae} of=${e.credits} /></p>
            ${l&&!i&&n`<p class="low">${w&&n`<${d} name="trending-down" />${s(f?"reseller.low-alert":"home.low",{amount:F(w)})}`}</p>`}</div>
          ${a&&n`<div class="adds" role="group" aria-label=${s("reseller.topup")}>${Oe.map(y=>n`<button key=${y} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${y}
            onClick=${()=>ne.set({reseller:e,name:"topup",amount:y})}>+${y}</button>`)}</div>`}</div></section>`}
        ${b("lines:read")&&n`<${ca} reseller=${e} />`}
        ${C?n`${!!(e.is_master||e.is_admin)&&n`<section class="panel"><h2>${s("reseller.below")}</h2><${_n} key=${o} master=${c} /></section>`}<${ot} of=${$} latest=${u} />`:n`<${ve} />`}
      </div>
      ${C&&n`<div class="stack">
        ${e.block&&n`<section class="panel"><h2>${s("reseller.blocked")}</h2><${ao} of=${e.block} /></section>`}
        <section class="panel"><h2>${s("line.record")}</h2><${G} of=${[[s("reseller.role"),s("role."+p)],[s("whatsapp"),e.whatsapp],[s("telegram"),e.telegram],[s("email"),e.email],[s("country"),Je(e.country)],[s("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[s("reseller.master"),e.master&&!i?n`<${ma} id=${e.master} />`:null],[s("alert.field"),t.value?f?n`<${Ae} of=${f} />`:s("alert.none"):l&&!t.problem?"…":null],[s("reseller.recharged"),e.is_admin?null:I(e.recharge)],[s("line.id"),c],[s("created"),I(e.createdAt)],[s("changed"),I(e.updatedAt)]]} /></section>
        ${r&&n`<section class="panel"><h2>${s(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${s(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?n`<button type="button" class="button" onClick=${()=>Y("unblock")}><${d} name="lock-open" />${s("reseller.unblock-title",{name:m})}</button>`:n`<button type="button" class="button danger-plain" onClick=${()=>Y("block")}><${d} name="lock" />${s("reseller.block-title",{name:m})}…</button>`}</section>`}
      </div>`}
    </div>
    ${C&&b("ledger:read")&&n`<h2>${s("nav.statement")}</h2><${kt} key=${o} account=${e} />`}`}var ia=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function ca({reseller:{id:e}}){let{value:t,problem:o,reload:a}=W("/reports/summary",{account:e,days:1}),r=t?.lines,i=l=>"/lines?"+new URLSearchParams(Zs({owner:e,...l}));return n`<section class="panel"><header><h2>${s("nav.lines")}</h2><${S} class="button link" to=${i({})}>${s("home.all")}<//></header>
    ${o&&n`<${D} problem=${o} retry=${a} />`}
    <ul class="tiles">${ia.map(([l,c,m])=>n`<li key=${l}><${S} class="tile" to=${i(de[l][1])} data-count=${l}>
      <span class="figure">${r?B(r[de[l][0]])+(r.capped?"+":""):" "}</span><span><${ke} icon=${c} tone=${m}>${s("tabs."+l)}<//></span><//></li>`)}</ul>
  </section>`}function ma({id:e}){let t=et(e);return e===x().id?t:n`<${S} to=${"/resellers/"+e}>${t||s("reseller.by-id",{id:e})}<//>`}var Qt=({reseller:e,name:t,path:o="block",...a})=>n`<${rt} name=${`${t} ${e.id}`} path=${`/users/${e.id}/${o}`}
  title=${s(`reseller.${t}-title`,{name:e.username})} meaning=${s(`reseller.${t}-meaning`)} submit=${s("reseller."+t)} danger=${t!=="unblock"} ...${a}
  then=${()=>R(A(s(`reseller.${t}-done`,{name:e.username}),t==="block"?{undo:$a(e)}:{}))} />`,$a=({id:e,username:t})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:s("reseller.unblock-title",{name:t}),said:s("reseller.unblock-done",{name:t})}),ao=({of:{lines:e,reason:t,at:o}})=>n`<${G} of=${[[s("nav.lines"),s("block."+e)],[s("block.since"),o&&I(o)],[s("reason"),t&&n`<span class="text">${t}</span>`]]} />`;function ua(e){let{id:t,username:o}=e.reseller,a=b("lines:read"),r=W(a?"/reports/summary":null,{tree:t,days:1});return n`<${Qt} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${i=>n`
    <${Fs} form=${i} name="lines" label=${s("block.lines")} of=${["run","suspend"].map(l=>[l,s("block."+l),s(`block.${l}-means`)])} />
    ${a&&i.fields.lines==="suspend"&&n`<${le} of=${r}>${pa}<//>`}
    <${lt} form=${i} name=${o} />`}<//>`}function pa({lines:{running:e,trials:t,capped:o}}){let a=e+t,r=B(a);return n`<p role="status" data-stops=${a}><strong>${s("block.stops",{n:a,lines:o?s("at-least",{n:r}):r})}</strong></p>`}var da=({reseller:e})=>n`<${Qt} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&n`${e.block.lines==="suspend"&&n`<p>${s("block.over")}</p>`}<${ao} of=${e.block} />`}<//>`,fa=e=>n`<${Qt} ...${e} name="totp" method="DELETE" path="totp" />`;function no({reseller:e}){let t=s("reseller.contact-title",{name:e.username}),{mine:o}=Re(e),a=_.get().query.get("do")==="password",r=H({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:t,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:i,password:l},answer:c}=r;Q(r,()=>R(A(s(l?"password.changed":"reseller.contact-done",{name:c.username}))));let m=()=>r.send({...qe(r.fields),...!o&&ee(i)!==e.username&&{username:i},...!o&&l&&{password:l}});return n`<section class="panel"><h2>${t}</h2>
    <${K} form=${r} submit=${s("save")} onSubmit=${m} onClose=${()=>R()}>
      <${Te} form=${r} />
      ${!o&&n`<details open=${a||!!l||i!==e.username}><summary>${s("reseller.password")}</summary>
        <${q} form=${r} name="username" label=${s("username")} maxlength="64" required />
        <${q} form=${r} name="password" label=${s("password.new")} hint=${s("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var ha=({reseller:e,alerts:t})=>n`<${le} of=${t}>${o=>n`<${mt} account=${e} alerts=${o} changed=${t.set} />`}<//>`;function ro(){let e=Z.use();return n`<${E} title=${s("nav.statement")}>
    ${!x().is_admin&&n`<${Ze} of=${e} />`}
    <${kt} account=${x()} />
  <//>`}var vt=null,{entry:ba}=_.get(),Vt=async()=>{vt||=await import("./rare.js")},V=e=>t=>{let[,o]=v(!1),[a,r]=v(null);return L(()=>{vt||Vt().then(()=>{o(!0),_.get().entry!==ba&&fs()},r)},[]),vt?n`<${vt[e]} ...${t} />`:a?n`<${D} problem=${a} retry=${()=>location.reload()} />`:n`<${ve} />`},lo=[["/",Dn],["/lines",Un],["/lines/:id",Wn],["/jobs",V("Jobs")],["/jobs/:id",V("Job")],["/resellers",Xn],["/resellers/:id",oo],["/statement",ro],["/activity",V("Activity")],["/webhooks",V("Webhooks")],["/webhooks/:id",V("OneWebhook")],["/keys",V("Keys")],["/keys/:id",V("OneKey")],["/staff",V("Staff")],["/staff/:id",V("Member")],["/messages",V("Messages")],["/sessions",V("Sessions")],["/proof",V("Proof")],["/prices",V("Prices")]];var Jt=`resellerd${ge} theme`,io=matchMedia("(prefers-color-scheme: dark)"),co=["device","light","dark"],xt=$e(be(Jt)||"device");function mo(e){e==="device"?localStorage.removeItem(Jt):he(Jt,e),xt.set(e),$o()}function $o(){let e=xt.get();document.documentElement.dataset.theme=e==="device"?io.matches?"dark":"light":e}io.addEventListener("change",$o);var Yt=`resellerd${ge} keys off`,Gt=$e(!be(Yt)),me=$e(!1);function ga(e){e?localStorage.removeItem(Yt):he(Yt,"yes"),Gt.set(e)}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let t=e.target instanceof HTMLElement?e.target:document.body,o=t.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!me.get()){o?t.blur():_.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&R();return}if(!(o||!Gt.get()||me.get())){if(e.key==="/"){let a=document.querySelector("[data-search]");if(!(a instanceof HTMLElement))return;e.preventDefault(),a.focus()}else if(e.key==="x")(t.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(t.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),me.set(!0);else if(e.key==="j"||e.key==="k"){let a=[...document.querySelectorAll("[data-row]")],r=a.findIndex(l=>l===t||(l.closest("tr")||l.previousElementSibling)?.contains(t)),i=r>=0?r+(e.key==="j"?1:-1):a.findIndex(l=>l.getBoundingClientRect().top>=0);if(!a[i])return;e.preventDefault(),a[i].focus(),a[i].scrollIntoView({block:"nearest"})}}});var wa=[["/","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function uo(){let e=ie(null),t=me.use(),o=Gt.use();return L(()=>{t?e.current?.showModal():e.current?.close()},[t]),n`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>me.set(!1)}>
    <h2 id="keys">${s("keys.title")}</h2>
    <dl class="facts">${wa.map(([a,r])=>n`<div key=${a}><dt><kbd>${a}</kbd></dt><dd>${s("keys."+r)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${o} onChange=${a=>ga(a.target.checked)} />${s("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>me.set(!1)}>${s("close")}</button></div>
  </dialog>`}var po=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",M.haveBelow],["/statement","receipt-text","ledger:read"]],fo={business:[["/prices","tag","",()=>!!x().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!x().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},Xt=([,,e,t])=>b(e)&&t?.()!==!1,ho=e=>s("nav."+(e.slice(1)||"home"));function go({children:e}){let{path:t}=_.use(),o=Ds.use(),[a,r]=v(!1),i=Rs(a,()=>r(!1)),l="/"+t.split("/")[1],c=ya(),m=([$,u])=>n`<${S} key=${$} to=${$} title=${ho($)} aria-current=${$===l?"page":void 0}>
    <${d} name=${u} /><span>${ho($)}</span><//>`;return n`
    <a class="skip" href="#main">${s("skip")}</a>
    <nav class="places" aria-label=${s("nav")}>
      <${S} to="/" class="brand" translate=${!1}><${St} /><span class="clip">${re}</span><//>
      ${po.filter(Xt).map(m)}
      <div class="rest" ref=${i}>
        <button type="button" aria-expanded=${a} aria-controls="more" onClick=${()=>r(!a)}><${d} name="menu" /><span>${s("nav.more")}</span></button>
        ${a&&n`<div class="veil" onClick=${()=>r(!1)}></div>`}
        <div id="more" class=${a?"more open":"more"} onClick=${$=>{$.target.closest("a")&&r(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${bo} /></span></div>
          ${Object.entries(fo).map(([$,u])=>u.some(Xt)&&n`<div key=${$} class=${"group "+$}><p class="group-name">${s("nav.group."+$)}</p>${u.filter(Xt).map(m)}</div>`)}
          <div class="narrow"><${Ct} /><${_t} /></div>
        </div>
      </div>
      <${Bs} />
    </nav>
    <header class="top" data-who=${c}>
      <${S} to="/" class="start" aria-label=${re}><${St} /><//>
      ${b("lines:read")?n`<${yt} name="q" label=${s("search")} to="/lines" />`:n`<span class="search"></span>`}
      <${bo} link />
      <${X} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${S} to="/sessions"><${d} name="shield-check" />${s("nav.sessions")}<//>
        <${Ct} />
        <button type="button" onClick=${()=>me.set(!0)}><${d} name="keyboard" />${s("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${_t} />
      <//>
    </header>
    <${Os} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${o.map($=>n`<${ka} key=${$.id} sent=${$} />`)}<${Ms} />
      </div>
      ${[...po,...Object.values(fo).flat()].every(([$,,u])=>$!==l||b(u))?e:n`<${E} title=${s("nav."+l.slice(1))}><${U}><p>${s("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${uo} /><${Ts} />`}function ya(){let{staff:e,username:t}=x();return e?s("acts-for",{name:e.username,account:t}):t}function bo({link:e=!1}){let t=Z.use();if(!t||t.is_admin)return null;if(!e)return n`<span class="quiet"><${Ae} of=${t.credits} /></span>`;let o=F(t.credits),a=P(t.credits).replace(o,""),r=n`<${d} name="coins" /><span class="credits" translate=${!1}>${o}<span class="unit">${a}</span></span>`;return b("ledger:read")?n`<${S} to="/statement" class="balance">${r}<//>`:n`<span class="balance">${r}</span>`}function ka({sent:e}){let t=As(e),o=t.state.use(),[a,r]=v(!1),{path:i}=_.use(),l=e.place&&e.place!==i+location.search;if(L(()=>{r(!1);let m=setTimeout(()=>r(!0),e.place&&!l?5e3:700);return()=>clearTimeout(m)},[l]),L(()=>t.state.watch(()=>{let m=t.state.get();m==="done"&&!e.place&&ue(A(s("form.settled",{title:e.title}),{payer:e.payer,key:t.kept.key})),t.problem&&(m==="refused"||m==="over")&&(t.drop(),ue(A(s("form.not-done",{title:e.title,why:_s(t.problem).text}),{tone:"bad"})))}),[]),!a)return null;let c={problem:t.problem,pays:!!e.payer,tooOld:t.tooOld(),again:()=>t.again(),discard:()=>t.drop()};return n`<div class="toast" data-form=${o}><p>${s("form.pending",{title:e.title})}</p>
    ${l?n`<div class="buttons"><${S} class="button primary" to=${e.place}>${s("form.back")}<//></div>`:o==="sending"?n`<p role="status">${s("form.sending")}</p>`:n`<${Xe} form=${c} />`}</div>`}var St=()=>Tt?n`<img class="own-logo" src=${Tt} alt="" />`:n`<span class="logo" aria-hidden="true">${re[0]}</span>`,wo=()=>n`<p class="langs">${Object.entries(Le).map(([e,t])=>n`<button key=${e} type="button" class="button link" lang=${e} data-lang=${e} aria-pressed=${pe.get()===e}
  onClick=${()=>Ft(e).catch(()=>location.reload())}>${t.replace(/ \(.*/,"")}</button>`)}</p>`;function Ct(){let[e,t]=v(null),o=a=>{t(null),Ft(a).catch(t)};return n`<${Rt} icon="sun-moon" label=${s("theme")} value=${xt.use()} choose=${mo} of=${co.map(a=>[a,s("theme."+a)])} />
  <${Rt} key=${!!e} icon="languages" label=${s("language")} value=${pe.get()} choose=${o} of=${Object.entries(Le)} />
  ${e&&n`<div class="toasts"><div class="toast"><div><${D} problem=${e} retry=${()=>location.reload()} /></div></div></div>`}`}function _t({look:e=""}){let[t,o]=v(null),a=()=>gs().then(()=>J("/",{replace:!0}),o);return n`<button type="button" class=${e} onClick=${a}><${d} name="log-out" />${s("sign-out")}</button>
    ${t&&we.get().is!=="out"&&n`<${D} problem=${t} retry=${a} />`}`}function yo({ended:e,dropped:t}){let[o,a]=v({username:"",password:"",totp:""}),[r,i]=v(!1),[l,c]=v(null),[m,$]=v(!1);L(()=>{document.getElementsByName(r?"totp":"username")[0]?.focus()},[r]),L(()=>{let C=l&&document.getElementsByName(r?"totp":"password")[0];C instanceof HTMLInputElement&&(C.focus(),C.select())},[l]);let u=async C=>{if(C.preventDefault(),m)return;$(!0),c(null);let{totp:y,...O}={...o,username:ee(o.username)};try{await bs(r?{...O,totp:bn(y)}:O)}catch(k){k.code!=="totp-required"?c(r&&k.code==="invalid-credentials"?new ls("wrong-code"):k):i(!0),$(!1)}},p=()=>{a({...o,password:"",totp:""}),c(null),i(!1)},w={fields:o,frozen:m,problem:l,set:C=>{r&&c(null),a(y=>({...y,...C}))}};return n`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${!1}><${St} />${re}</p><${E} title=${s("sign-in")}>
    ${e&&n`<${U} tone=${t?"bad":"unsure"}><p>${s(t?"sign-in.dropped":"sign-in.ended")}</p><//>`}
    ${!isSecureContext&&n`<${U} tone="bad"><p>${s("sign-in.insecure")}</p><//>`}
    <form onSubmit=${u} aria-busy=${m}>
      ${r?n`<p>${s("sign-in.code",{name:o.username})}</p><${gn} form=${w} name="totp" recovery />`:n`<${q} form=${w} name="username" label=${s("username")} autocomplete="username" maxlength="64" required />
          <${q} form=${w} name="password" label=${s("password")} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${l&&n`<${D} problem=${l} />`}
      <button type="submit" class="button primary wide tall" disabled=${m||!isSecureContext}>${s(m?"form.sending":"sign-in")}</button>
      ${r?n`<button type="button" class="button wide" onClick=${p}>${s("back")}</button>`:n`<p class="quiet small help">${s("sign-in.forgotten")}</p>`}
    </form>
  <//></div><${wo} /></main>`}var Zt=new WeakSet,Ee=new Map,es=new MutationObserver(ko);function ko(e){for(let{target:t,addedNodes:o,removedNodes:a,previousSibling:r,nextSibling:i}of e){let l=t;for(;l&&!Zt.has(l);)l=l.parentNode;if(l)continue;for(let $ of o)$ instanceof Text||Zt.add($);let c=[...o,r,i].filter($=>$&&Zt.has($)),m=c.find($=>!Ee.has($))||c[0];if(m)for(let $ of a)$ instanceof Text&&Ee.set(m,[...Ee.get(m)||[],$])}}function va(e){ko(es.takeRecords());let t=[...Ee].filter(([o])=>o.parentNode).map(([o,a])=>({stand:o,texts:a,was:a.map(r=>r.data),apart:a.every(r=>!r.parentNode)}));Ee.clear();for(let{stand:o,texts:a}of t)o.replaceWith(...a);try{e()}finally{for(let{stand:o,texts:a,was:r,apart:i}of t)if(!(!i||!a.every((l,c)=>l.parentNode&&l.data===r[c]&&(!c||l.previousSibling===a[c-1])))){a[0].before(o);for(let l of a)l.remove();Ee.set(o,a)}es.takeRecords()}}ss.debounceRendering=e=>queueMicrotask(()=>va(e));var vo=()=>es.observe(document.body,{childList:!0,subtree:!0});var fe=[];addEventListener("focusin",e=>{fe=[];for(let t=e.target;t instanceof Element;t=t.parentElement)fe.push(t)});addEventListener("focusout",()=>{let[e]=fe;queueMicrotask(()=>{e&&e===fe[0]&&e!==document.activeElement&&ts(e)&&document.hasFocus()&&(fe=[])})});var ts=e=>e.isConnected&&!e.matches(":disabled")&&e.checkVisibility({visibilityProperty:!0}),xo=e=>{e instanceof HTMLElement&&e.focus({preventScroll:!0})};function xa(){let[e]=fe,t=document.activeElement;if(!e||e===document.body||t!==e&&t!==document.body)return;if(ts(e)){t!==e&&xo(e);return}if(e.isConnected&&e.matches(":disabled"))return;let o=fe.find(i=>i.isConnected),a=o?.closest("[data-form]"),r=a&&[...a.querySelectorAll("button, input, select, textarea")].find(ts);xo(r||o?.closest(".screen")?.querySelector("h1")||document.querySelector("h1"))}new MutationObserver(xa).observe(document.body,{subtree:!0,childList:!0,attributes:!0,attributeFilter:["disabled","hidden"]});function Sa(){let{path:e}=_.use(),t=we.use();pe.use();let[o]=as(r=>setTimeout(()=>{throw r}));if(o)return n`<main class="alone"><${E} title=${re}><${U} tone="bad"><p>${s("broken")}</p>
      <button type="button" class="button" onClick=${()=>location.reload()}><${d} name="rotate-cw" />${s("load-again")}</button><//><//></main>`;switch(t.is){case"starting":return null;case"failed":return n`<main class="alone"><${E} title=${re}>
        <${D} problem=${t.problem} retry=${Ot} />
        <div class="settings"><${Ct} /></div><//></main>`;case"blocked":return n`<main class="alone"><${E} title=${s("blocked.title")}>
        <${U} tone="bad"><p>${s("problem.account-blocked")}</p><//><div class="buttons"><${_t} look="button" /></div><//></main>`;case"out":return n`<${yo} ended=${t.ended} dropped=${t.dropped} />`}if(e==="/sign-in")return J("/",{replace:!0}),null;let a=ds(lo,e);return n`<${go} key=${ye(t.who)}>
    ${a?n`<${a.screen} key=${e} id=${a.id} />`:n`<${E} title=${s("nowhere")}><p><${S} to="/">${s("nav.home")}<//></p><//>`}
  <//>`}function Ca(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var So="";we.watch(()=>{let e=we.get();!("who"in e)||ye(e.who)===So||(So=ye(e.who),Es(),Cn(),Ls(),Ns.set(null),st.set(null),Ca(),setTimeout(()=>Vt().catch(()=>null),2e3))});document.documentElement.dataset.blocked||Ot().then(()=>{document.querySelector(".before")?.remove(),ns(n`<${Sa} />`,document.body),vo()});
//# sourceMappingURL=app.js.map
