import{$ as us,$a as fe,A as Ct,Aa as ee,B as _e,Ba as at,Ca as ze,D as hn,Da as N,Ea as j,Fa as Mo,G as qo,Ga as jo,H as Fo,Ha as Ue,I as Qe,Ia as He,J as w,Ja as G,K as Q,Ka as Ft,L as ke,La as F,M as Eo,Ma as ae,N as Ve,Na as We,O as A,Oa as hs,P as ms,Pa as H,Q as Ro,Qa as ge,R as Po,Ra as No,S as xe,Sa as $e,T as _t,Ta as Bo,U as Ye,Ua as zo,V as Ot,Va as Et,W as nt,Wa as Uo,X as Tt,Xa as ft,Y as ds,Ya as Rt,Z as ps,Za as X,_ as q,_a as Ho,aa as E,ab as gn,b as So,ba as ot,bb as wn,c as g,ca as Y,cb as yn,d as S,da as U,e as je,ea as Ze,eb as vn,f as V,fa as $t,fb as kn,ga as Do,h as st,ha as $s,i as o,ia as Ao,j as W,ja as M,k as me,ka as bn,l as Pe,la as be,m as J,ma as qt,n as cs,na as Z,o as Co,oa as C,p as _o,pa as Ae,q as ie,qa as fs,r as De,ra as Lo,s as Ne,sa as re,t as Oo,ta as de,u as To,ua as rt,v as s,va as _,w as ue,wa as Io,x as Be,xa as Qt,y as h,ya as f,z as se,za as B}from"./chunk.js";var Ai=50,Ko=5e3,Sn=6e4,Wo=12,bs=400,xn=class{constructor(t,n,r){this.path=t,this.query=n,this.size=r,this.entry=Ae("entry"),this.watchers=new Set,this.problem=null,this.loading=!1,this.empty=0,this.looked=0,this.leaves=new AbortController;let a=Ae("list"),i=M.get().query.get("at")||"";this.pages=a?.pages.map(([l,c])=>({cursor:l,rows:null,height:c,at:0}))||[],this.next=a?a.next:i,this.midst=!!(this.pages[0]?this.pages[0].cursor:i),this.anchor=a?.anchor||null,this.view=[0,1]}tell(){for(let t of[...this.watchers])t()}get pauses(){return this.next!==null&&this.empty>=cs}async more(){for(;!this.loading&&!this.problem&&this.next!==null&&!this.pauses;){this.loading=!0,this.tell();let{signal:t}=this.leaves=new AbortController;try{let n=this.next,{data:r,next_cursor:a,damaged:i}=await J("GET",this.path,{query:{...this.query,limit:this.size,cursor:n},signal:t});if(n!==this.next)continue;if((r.length||i||!this.pages.length)&&(this.pages=[...this.pages,{cursor:n,rows:r,height:0,at:W(),damaged:i?.length}]),this.next=a,this.empty=r.length?0:this.empty+1,this.looked+=a!==null&&r.length<this.size?Ko:r.length,r.length||!this.watchers.size)return}catch(n){if(t.aborted)return;n.code==="validation-failed"&&this.midst?(this.next="",this.midst=!1):this.problem=n}finally{this.loading=!1,this.tell()}}}async load(t){let n=this.pages[t];if(!(!n||n.loading)){n.loading=!0,this.tell();try{let{data:r,next_cursor:a,damaged:i}=await J("GET",this.path,{query:{...this.query,limit:this.size,cursor:n.cursor}});if(this.pages[t]!==n)return;n.rows=r,n.damaged=i?.length,n.at=W();let l=this.pages[t+1];(l?l.cursor!==a:this.next!==a)&&(this.pages=this.pages.slice(0,t+1),this.next=a)}catch(r){n.rows?n.at=W()-Sn:this.problem=r}finally{n.loading=!1,this.tell()}}}retry(){this.problem=null;let t=this.pages.findIndex((n,r)=>!n.rows&&r===(this.anchor?.page??-1));t>=0?this.load(t):this.more(),this.tell()}further(){this.empty=0,this.more()}restart(){this.pages=[],this.next="",this.midst=!1,this.anchor=null,this.problem=null,this.empty=this.looked=0,this.tell(),this.more()}thin(t){this.pages.filter(n=>n.rows).length<=Wo||this.pages.forEach((n,r)=>{Math.abs(r-t)>Wo/2&&n.height&&(n.rows=null)})}state(){let{anchor:t,pages:n,next:r}=this,a=Math.max(0,Math.min(t?.page??0,n.length)-bs/2);return{pages:n.slice(a,a+bs).map(i=>[i.cursor,i.height]),next:n.length>a+bs?n[a+bs].cursor:r,anchor:t&&{...t,page:t.page-a}}}},ht=new Map;function gs(e=!1){for(let t of ht.values())if(!(e&&t.watchers.size)){for(let n of t.pages)n.at=0;t.tell()}}var Jo=()=>ht.clear(),Li=(e,t)=>M.get().entry+" "+e+JSON.stringify(t);function Ge({path:e,query:t={},row:n,id:r=b=>b.id,empty:a,label:i,lasting:l=!1,head:c,look:m="",count:d,size:p=Ai,arrange:u=b=>b,told:$}){let b=Li(e,t);return o`<${Ii} key=${b} ...${{name:b,path:e,query:t,row:n,id:r,empty:a,label:i,lasting:l,head:c,look:m,count:d,size:p,arrange:u,told:$}} />`}function Ii({name:e,path:t,query:n,row:r,id:a,empty:i,label:l,lasting:c,head:m,look:d,count:p,size:u,arrange:$,told:b}){let[y]=g(()=>{let I=ht.get(e);return I?I.anchor=Ae("list")?.anchor||I.anchor:(ht.set(e,I=new xn(t,n,u)),ht.size>20&&ht.delete(ht.keys().next().value??"")),I}),[,v]=g(0),k=V(null),T=V(null),L=V(y.anchor);S(()=>{let I=()=>v(te=>te+1);if(y.watchers.add(I),I(),L.current){let te=y.pages[L.current.page];te&&(!te.rows||W()-te.at>Sn/2)&&y.load(L.current.page)}else y.pages.length||y.more();return()=>{y.watchers.delete(I),!y.watchers.size&&n.q&&y.leaves.abort()}},[]),je(()=>{let I=L.current;if(document.documentElement.style.setProperty("overflow-anchor",I?"none":""),!I||!k.current)return;let te=k.current.querySelector(`[data-page="${I.page}"]`),x=te?.querySelector(`[data-id="${CSS.escape(I.id)}"]`);x?scrollBy(0,x.getBoundingClientRect().top-I.top):te&&scrollTo(0,te.getBoundingClientRect().top+scrollY-I.top),(!y.pages[I.page]||y.pages[I.page].rows&&y.pages.every(le=>!le.loading))&&O()});let O=()=>{L.current=null,document.documentElement.style.setProperty("overflow-anchor","")};S(()=>O,[]),S(()=>{let I=O,te=()=>{L.current||ji(y,k.current)},x=0,le=()=>{clearTimeout(x),x=setTimeout(te,200),Go(y,k.current,T.current)};for(let Me of["wheel","touchstart","keydown"])addEventListener(Me,I,{passive:!0});return addEventListener("scroll",le,{passive:!0}),addEventListener("resize",le,{passive:!0}),bn.add(te),()=>{clearTimeout(x);for(let Me of["wheel","touchstart","keydown"])removeEventListener(Me,I);removeEventListener("scroll",le),removeEventListener("resize",le),bn.delete(te)}},[]),S(()=>Go(y,k.current,T.current));let{pages:z,problem:ne,loading:ce,next:Le}=y;Mo(ne,()=>y.retry());let pe=z.reduce((I,te)=>I+(te.damaged||0),0),ve=n.q&&y.looked>=Ko&&s("list.looked",{count:q(y.looked)}),K=!z.length||y.midst?null:z.length>1||Le!==null?!1:z[0].rows;S(()=>b?.(K),[K]);let oe=I=>I&&(K?$(I):I),Ie=z.some(I=>oe(I.rows)?.length||!I.rows&&I.height),Jt=Le===null&&!pe&&z.every(I=>oe(I.rows)?.length===0);return o`
    <div ref=${k} aria-busy=${ce}>
      ${y.midst&&o`<button type="button" class="button wide" onClick=${()=>y.restart()}>${s("list.start")}</button>`}
      ${!c&&o`<${Mi} list=${y} />`}
      ${pe>0&&o`<${ee} tone="bad"><p>${s("list.damaged",{n:pe})}</p><//>`}
      ${m?Ie&&o`<table class="table ${d}" aria-label=${l}><thead>${m}</thead>
        ${z.map((I,te)=>o`<tbody key=${I.cursor} data-page=${te}>${oe(I.rows)?.map(x=>r(x))||o`<tr><td colspan="9" style=${{blockSize:(I.height||400)+"px"}}></td></tr>`}</tbody>`)}</table>`:z.map((I,te)=>o`
        <ul key=${I.cursor} class="rows" data-page=${te} aria-label=${l} style=${I.rows?void 0:{blockSize:(I.height||400)+"px"}}>
          ${I.rows?.map(x=>o`<li key=${a(x)} data-id=${a(x)}>${r(x)}</li>`)}
        </ul>`)}
      <div ref=${T} key=${z.length?"end":"begin"} class="end">
        ${ne?o`<${N} problem=${ne} retry=${()=>y.retry()} />`:Jt?o`<div class="empty"><${f} name="search" /><p>${i}</p></div>`:Le===null?o`<p class="quiet">${s("list.end")}${p&&Ie&&!y.midst&&z[z.length-1].rows&&o` · <span role="status">${p(z.reduce((I,te)=>I+(oe(te.rows)?.length??u),0))}</span>`}</p>`:y.pauses?o`<p class="quiet" role="status">${!(ve&&Ie)&&s("list.paused")} ${ve}</p><button type="button" class="button wide" onClick=${()=>y.further()}>${s("list.further")}</button>`:o`<p class="quiet" role="status">${ve||s(Ie||!ce?"list.more":"list.loading")}</p>`}
      </div>
    </div>`}function Mi({list:e}){let[t,n]=g(W);S(()=>{let l=()=>{document.hidden||n(W())},c=setInterval(l,15e3);return document.addEventListener("visibilitychange",l),()=>{clearInterval(c),document.removeEventListener("visibilitychange",l)}},[]);let r=e.pages.slice(...e.view).filter(l=>l.rows&&l.at).map(l=>l.at),a=Math.min(...r);if(!r.length||t-a<Sn)return null;let i=()=>{for(let l of e.pages)l.at=0;e.tell()};return o`<p class="stale"><span>${s("list.stale",{time:Ot(new Date(a))})}</span>
    <button type="button" class="button" onClick=${i}><${f} name="rotate-cw" />${s("list.refresh")}</button></p>`}function Go(e,t,n){if(!t||!n||document.hidden)return;let r=800,a=-1;for(let i of t.querySelectorAll("[data-page]")){let l=Number(i.getAttribute("data-page")),{top:c,bottom:m,height:d}=i.getBoundingClientRect(),p=e.pages[l];p&&(p.rows&&(p.height=d),!(m<-r||c>innerHeight+r)&&(a<0&&(a=l),e.view=[a,l+1],!(p.rows&&p.at)&&!e.problem&&e.load(l)))}a>=0&&e.thin(a),n.getBoundingClientRect().top<innerHeight+r&&e.pages.every(i=>!i.loading)&&e.more()}function ji(e,t){if(!t||Ae("entry")!==e.entry)return;let n=document.querySelector("header")?.getBoundingClientRect().bottom||0;if(e.anchor=null,scrollY>0)for(let i of t.querySelectorAll("[data-id]")){let{top:l,bottom:c}=i.getBoundingClientRect();if(!(c<=n)){e.anchor={page:Number(i.parentElement?.getAttribute("data-page")),id:i.getAttribute("data-id")||"",top:l};break}}let r=new URLSearchParams(location.search),a=e.anchor&&e.pages[e.anchor.page]?.cursor;a?r.set("at",a):r.delete("at"),fs({list:e.state()},r.size?"?"+r:"")}var Ni=[10n,15n,16n,20n,25n,30n,40n,50n,60n,80n];function Qo(e){let t=e>0n?e:10000n;for(let n=1n;;n*=10n){let r=Ni.find(a=>a*n*2n>=t);if(r)return[0n,r*n,r*n*2n]}}var Vt=(e,t)=>e>0n?Number(e*10000n/t)/100:0,Vo=(e,t)=>e.map((n,r)=>(r?"V":"M0 ")+(100-Vt(n,t))+"H"+(r+1)).join(""),Yo=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e*n/t)));function Zo(e,t,n){let r={ArrowLeft:t-1,ArrowDown:t-1,ArrowRight:t+1,ArrowUp:t+1,Home:0,End:n-1}[e];return r===void 0?void 0:Math.max(0,Math.min(n-1,r))}var ws=e=>e.reduce((t,n)=>({trials:t.trials+n.trials,activations:t.activations+n.activations,extensions:t.extensions+n.extensions,spent:Ze(U(t.spent)+U(n.spent))}),{trials:0,activations:0,extensions:0,spent:"0"});function Xo(e,t){let[n,r]=[U(e),U(t)];return n<r*10n?Math.round(Number((n-r)*1000n/r)/10):void 0}var er=e=>e.filter(t=>t.day.slice(0,7)===e[e.length-1].day.slice(0,7));function ys(e,t,n){let r=t||n;return r&&U(e)<U(r)?r:""}var On=new Map,Yt=new Map,_n=new Map,Cn=Array.from({length:4},()=>Promise.resolve());function vs(){On.clear(),Yt.clear(),_n.clear()}function Bi(e){let t=Yt.size%Cn.length,n=Cn[t].then(async()=>{let{username:r}=await J("GET",e);return Yt.get(e)===n&&On.set(e,r),r});return Yt.set(e,n),Cn[t]=n.catch(()=>{}),n}function Oe(e){let t=`/users/${e}`,n=e===h().id?h().username:On.get(t)||"",[,r]=g(0);return S(()=>{if(n||!w("users:read"))return;let a=!0;return(Yt.get(t)||Bi(t)).then(()=>{a&&r(l=>l+1)},()=>{}),()=>{a=!1}},[t,n]),n}function tr(e,t){let[n,r]=g("");return S(()=>{if(!e||!w("manage"))return;let a=!0,i=_n.get(e)||J("GET",e).then(({data:l})=>l);return _n.set(e,i),i.then(l=>{let c=l.find(m=>m.id===t);a&&c&&r(c.name||c.username||c.description||new URL(c.url).host)},()=>{}),()=>{a=!1}},[e,t]),n}var zi=6.5*24*36e5,Ui=new Set(["not-found","not-allowed","insufficient-credits","username-taken","external-id-taken","line-not-trial","line-is-trial","period-too-long","tree-too-deep","balance-limit","no-balance","too-many-webhooks","webhook-disabled","too-many-principals","spend-limit-reached","totp-active","totp-inactive","totp-not-pending","wrong-code","bad-url","expiry-in-past","trial-allowance-spent","selection-changed","job-running","too-many-lines","too-many-free-changes","unknown-price","ambiguous-price","price-changed","plan-off-sale","plan-differs","plan-immutable","plan-changing","too-many-plans","unknown-plan","effective-too-soon","too-many-versions","version-in-force","idempotency-key-reused","invalid-credentials","too-many-attempts"]),or=`resellerd${me} form `,ks=e=>or+se(e)+" ",xs=class{constructor(t,n){this.id=t,this.about=n;let r=JSON.parse(sessionStorage.getItem(t)||"{}");this.kept=r.sent?r:{key:sr(),fields:r.fields},this.restored=!r.sent&&!!r.fields,this.state=ie(this.kept.sent?"unknown":"editing"),this.problem=null,this.answer=null,this.shown=0}keep(){let{sent:t,fields:n}=this.kept,{secret:r=[]}=this.about,a=Object.fromEntries(Object.entries(n||{}).filter(([i])=>!r.includes(i)));try{return t?sessionStorage.setItem(this.id,JSON.stringify(this.kept)):Object.keys(a).length?sessionStorage.setItem(this.id,JSON.stringify({fields:a})):sessionStorage.removeItem(this.id),!0}catch{return!1}}type(t){this.kept.fields={...this.kept.fields,...t},this.keep()}restart(){this.kept={key:sr()},this.problem=null,this.restored=!1,this.keep(),bt(),this.state.set("editing")}drop(){sessionStorage.removeItem(this.id),we.delete(this.id),bt()}send(t,n){if(!["editing","refused"].includes(this.state.get())||!hn())return;let{method:r,path:a,title:i,payer:l,place:c}=this.about;if(this.kept.fields=n,this.kept.sent={method:r,path:a,body:t===void 0?void 0:JSON.stringify(Hi(t)),at:W(),title:i,payer:l,place:c},this.keep())return this.run(!1);delete this.kept.sent,this.problem=new Pe("no-room"),this.state.set("refused")}again(){this.state.get()==="unknown"&&!this.tooOld()&&hn()&&this.run(!0)}tooOld(){return W()-(this.kept.sent?.at??0)>zi}async run(t){let{method:n,path:r,body:a}=this.kept.sent;this.problem=null,this.restored=!1,bt(),this.state.set("sending");try{this.answer=await J(n,r,{body:a,key:this.kept.key}),this.drop(),this.about.place&&we.set(this.id,this),gs(this.about.here),vs(),Qe(),this.state.set("done")}catch(i){this.problem=i instanceof Pe?i:new Pe("no-answer"),this.problem.unknown||t&&!Ui.has(this.problem.code)?this.state.set("unknown"):this.problem.code==="idempotency-key-reused"?(this.drop(),Qe(),this.state.set("over")):(delete this.kept.sent,this.keep(),bt(),this.problem.signedOut&&(this.problem=null),this.state.set(this.problem?"refused":"editing"))}}hide(){this.shown--,bt(),!this.shown&&!this.kept.sent&&Be.get().is==="in"&&we.delete(this.id)}},we=new Map,Hi=e=>({...e,...typeof e.username=="string"&&{username:ke(e.username)},...typeof e.whatsapp=="string"&&{whatsapp:Eo(e.whatsapp)}}),sr=()=>"console-"+[...crypto.getRandomValues(new Uint8Array(16))].map(e=>e.toString(16).padStart(2,"0")).join("");function R({fields:e,...t}){let n=ks(h())+t.name,[r]=g(()=>{let c=we.get(n);return c?c.about=t:we.set(n,c=new xs(n,t)),c}),[a,i]=g(()=>({...e,...r.kept.fields})),l=r.state.use();return S(()=>(r.shown++,bt(),()=>r.hide()),[]),{state:l,fields:a,set:c=>{nr(l)||(r.type(c),i(m=>({...m,...c})))},frozen:nr(l),problem:r.problem,answer:r.answer,key:r.kept.key,send:c=>r.send(c,a),pays:!!t.payer,again:()=>r.again(),tooOld:r.tooOld(),discard:()=>r.restart(),restored:r.restored,restart:()=>{r.restart(),i(e)},cancel:()=>r.drop(),taken:()=>{we.get(n)===r&&we.delete(n)},said:()=>JSON.parse(r.kept.sent?.body||"{}")}}function D(e,t){S(()=>{e.state==="done"&&(e.taken(),t())},[e.state])}var nr=e=>e!=="editing"&&e!=="refused",Tn=ie([]);function rr(e){let t=we.get(e.id);return t||we.set(e.id,t=new xs(e.id,{...e,name:""})),t}var ar=e=>we.get(ks(h())+e)?.state.get()==="done"||!!JSON.parse(sessionStorage.getItem(ks(h())+e)||"{}").sent;function bt(){let e=Be.get(),t=[];for(let n=0;"who"in e&&n<sessionStorage.length;n++){let r=sessionStorage.key(n)||"";if(!r.startsWith(ks(e.who)))continue;let{sent:a}=JSON.parse(sessionStorage.getItem(r)||"{}");a&&!we.get(r)?.shown&&t.push({...a,id:r})}Tn.set(t.sort((n,r)=>n.at-r.at))}function ir(){let e=Be.get();e.is==="out"&&!e.ended&&Wi(),bt()}ir();Be.watch(ir);function Wi(){for(let e of Object.keys(sessionStorage))!e.startsWith(or)||JSON.parse(sessionStorage.getItem(e)||"{}").sent||(sessionStorage.removeItem(e),we.delete(e));for(let[e,t]of we)t.state.get()==="done"&&we.delete(e)}async function lr(e,t){try{let n="";for(let r=0;n!==null&&r<5;r++){let{data:a,next_cursor:i}=await J("GET",`/users/${e}/ledger`,{query:{limit:n?500:50,cursor:n}}),l=a.find(c=>c.request_id===t);if(l)return l;n=i}}catch{}return null}function ye(e,t=!1){let{amount:n,wrong:r,perhaps:a}=Do(e);return r?{amount:n,perhaps:a,wrong:s(r,{amount:E(a||"1234.5")})}:{amount:n,wrong:n&&!t&&U(n)===0n?s("field.not-positive"):""}}var it=({form:e,typed:t,...n})=>o`
  <${F} form=${e} name="credits" wrong=${t.wrong} inputmode="decimal" maxlength="24" required ...${n} />
  ${t.perhaps&&!e.frozen&&o`<button type="button" class="button" translate=${!1} onClick=${()=>e.set({credits:E(t.perhaps||"")})}>${s("amount.perhaps",{amount:E(t.perhaps)})}</button>`}`;var Gi=8e3,P=(e,t)=>({done:{...t,text:e,who:se(h())}});function cr(){M.use();let e=Ae("done");return e?.who===se(h())?o`<${Ki} key=${e.key||e.text} of=${e} />`:null}function Ki({of:{text:e,tone:t="good",payer:n,key:r,undo:a}}){let i=V(null),l=()=>re({done:null});return S(()=>{if(t!=="good")return;let c=Gi,m=Date.now(),d=setInterval(()=>{let p=Date.now(),u=i.current;document.hidden||u?.matches(":hover, :focus-within")||u?.querySelector("[data-form]:not([data-form=editing])")||(c-=p-m),m=p,c<=0&&l()},250);return()=>clearInterval(d)},[]),o`<div class="toast" ref=${i}><${ee} tone=${t}><p>${e}${n&&r&&w("ledger:read")&&o`<${Qi} payer=${n} form=${r} />`}</p>
    ${a&&o`<${Ji} of=${a} />`}
    <button type="button" class="button ghost only" aria-label=${s("close")} onClick=${l}><${f} name="x" /></button><//></div>`}function Ji({of:{body:e,said:t,...n}}){let r=R({...n,fields:{}}),{state:a,problem:i}=r;return D(r,()=>be(M.get().path+location.search,{replace:!0,state:P(t)})),o`<div data-form=${a}>${a==="unknown"?o`<${ge} form=${r} />`:o`<button type="button" class="button link" data-undo disabled=${r.frozen} onClick=${()=>r.send(e)}>${s(a==="sending"?"form.sending":"undo")}</button>`}
    ${a==="refused"&&i&&o`<${N} problem=${i} />`}</div>`}function Qi({payer:e,form:t}){let[n,r]=g(null);if(S(()=>{lr(e,t).then(r)},[]),!n)return null;let a=e===h().id?"/statement":"/resellers/"+e;return o` <${_} to=${a} data-movement=${n.seq}>${ae("done.movement",{amount:Y(n.amount,ot),balance:Y(n.balance)})}<//>`}function qn(e){let{left:t,right:n,top:r,bottom:a}=e.currentTarget.getBoundingClientRect();return e.clientX<t||e.clientX>n||e.clientY<r||e.clientY>a}var mr=e=>e.querySelector("[data-form=sending]");function he({title:e,about:t,look:n="side-panel",onClose:r,children:a}){let i=st(),l=V(null),c=V(!1),m=V(!1),d=()=>{m.current||mr(l.current)||(m.current=!0,r())};return je(()=>{let u=l.current;return u.showModal(),(u.querySelector("input:checked, [autofocus]")||u.querySelector("h2"))?.focus(),()=>{m.current=!0,u.close()}},[]),o`<dialog class=${n} ref=${l} aria-labelledby=${i} onCancel=${u=>{u.preventDefault(),d()}} onClose=${()=>{m.current||(mr(l.current)?l.current.showModal():d())}}
    onKeyDown=${u=>u.stopPropagation()} onPointerDown=${u=>{c.current=qn(u)}} onClick=${u=>{c.current&&u.target===l.current&&d()}}>
    <span class="grip"></span>
    <header class="side-head"><div><h2 id=${i} tabindex="-1">${e}</h2>${t&&o`<p class="quiet small">${t}</p>`}</div>
      <button type="button" class="button ghost only" aria-label=${s("close")} onClick=${d}><${f} name="x" /></button></header>
    ${a}
  </dialog>`}var Pt=["10","20","50"],Ke=ie(null),dr=e=>`resellerd${me} ${e} for ${se(h())}`;function Ss({then:e}){let t=Ke.use(),n=r=>{Ke.set(null),r&&e(r)};return je(()=>()=>Ke.set(null),[]),t&&o`<${Fn} key=${t.name+t.reseller.id} ...${t} onClose=${n} />`}function Fn({reseller:e,name:t,amount:n="",onClose:r}){let a=_e.use(),i=t==="topup",l=R({name:`${t} ${e.id}`,method:i?"PATCH":"POST",path:i?"/users/credits/"+e.id:`/users/${e.id}/credits/reclaim`,payer:e.id,title:s(`reseller.${t}-title`,{name:e.username}),fields:{credits:E(Ne(dr(t))||(i?Pt[0]:"")),notes:""}}),{fields:c,frozen:m}=l,d=ye(c.credits),p=m?l.said().credits:d.wrong?"":d.amount;S(()=>{n&&l.set({credits:E(n)})},[]),D(l,()=>{De(dr(t),p),r(P(s(`reseller.${t}-done`,{name:e.username,amount:Y(p)}),{payer:e.id,key:l.key}))});let u=()=>{c.notes||l.cancel(),r()},$=i?a:e,b=!!p&&!!$&&!$.is_admin&&U($.credits)<U(p),y=((v,k=i===(v===e))=>[o`<span class="name" translate=${!1}>${v.username}</span>`,ae("reseller.then",{now:E(v.credits),after:Y($t(v.credits,k?"-"+p:p))})]);return o`<${he} look="side-panel top-up" title=${ae(`reseller.${t}-title`,{name:e.username})} onClose=${u}>
    <${H} form=${l} submit=${p?s(`reseller.${t}-amount`,{amount:Y(p)}):s("reseller."+t)} unclear=${!!d.wrong}
      onSubmit=${()=>l.send({credits:p,notes:c.notes.trim()||null})}>
      <fieldset class="choice few short" disabled=${m}><legend class="hush">${s("amount")}</legend>
        ${Pt.map(v=>o`<label key=${v}><input type="radio" name="amount" value=${v} checked=${p===v} onChange=${()=>l.set({credits:v})} />
          <span translate=${!1}>${i?"+":"−"}${v}</span></label>`)}</fieldset>
      <${it} form=${l} typed=${d} label=${s("amount.other")} />
      <div class="becomes" aria-live="polite">
        ${p?m?o`<p>${ae("amount.sent",{amount:Y(p)})}</p>`:b?o`<${ee} tone="unsure"><p>${ae(i?"cost.short":"cost.short-of",{name:e.username,cost:Y(p),now:E($?.credits||"")})}</p><//>`:o`<${X} of=${[y(e),...a&&!a.is_admin&&a.id!==e.id?[y(a)]:[]]} />`:null}
      </div>
      <${F} form=${l} name="notes" label=${s("notes")} kind="textarea" rows="1" maxlength="2000" />
    <//>
  <//>`}var Vi=`
AR 54 11 9(11|[23]) 0
BO 591 8 [67] 0
BR 55 11 [1-9][1-9]9 0
CL 56 9 9 0
CO 57 10 3 0
CR 506 8 [5-8] -
CU 53 8 [56] 0
DO 1 10 8[024]9[2-9] 1
EC 593 9 9 0
SV 503 8 [5-7] -
GT 502 8 [3-5] -
HT 509 8 [345] -
HN 504 8 [37-9] -
MX 52 10 [2-9] -
NI 505 8 [5-8] -
PA 507 8 6 -
PY 595 9 9 0
PE 51 9 9 0
PR 1 10 (787|939)[2-9] 1
UY 598 8 9 0
VE 58 10 4[12] 0
BZ 501 7 6 -
GY 592 7 6|7[0-6] -
SR 597 7 [678] -
GF 594 9 69|709 0
GP 590 9 69|709 0
MQ 596 9 69|709 0
JM 1 10 (876|658)[2-9] 1
TT 1 10 868[2-9] 1
US 1 10 [2-9]\\d\\d[2-9] 1
CA 1 10 [2-9]\\d\\d[2-9] 1
PT 351 9 9[1-36] -
ES 34 9 6|7[1-48] -
AD 376 6 [36] -
FR 33 9 [67] 0
DE 49 10,11 1[5-7] 0
IT 39 9,10 3 -
GB 44 10 7[1-57-9] 0
IE 353 9 8[35-9] 0
NL 31 9 6 0
BE 32 9 4[5-9] 0
LU 352 9 6 -
CH 41 9 7[5-9] 0
AT 43 10,12 6(5[0-3579]|6[013-9]|[7-9]) 0
DK 45 8 [2-9] -
SE 46 9 7[023689] 0
NO 47 8 [49] -
FI 358 9,10 4[0-8]|50 0
IS 354 7 [678] -
PL 48 9 45|5[0137]|6[069]|7[2389]|88 -
CZ 420 9 60|7[02379] -
SK 421 9 9[0145] 0
HU 36 9 [2357]0|31 06
RO 40 9 7 0
BG 359 9 8[7-9]|98 0
GR 30 10 69 -
HR 385 8,9 9 0
UA 380 9 39|50|6[36-8]|7[357]|9[1-9] 0
RU 7 10 9 8
KZ 7 10 7[0467] 8
TR 90 10 5 0
IL 972 9 5 0
AE 971 9 5 0
SA 966 9 5 0
MA 212 9 [67] 0
AO 244 9 9 -
MZ 258 9 8 -
CV 238 7 [59] -
GW 245 9 9[56] -
ST 239 7 9 -
TL 670 8 7 -
ZA 27 9 [678] 0
NG 234 10 [789] 0
IN 91 10 [6-9] 0
PH 63 10 9 0
JP 81 10 [789]0 0
CN 86 11 1 0
AU 61 9 4 0
NZ 64 8,10 2 0`,pr=Object.fromEntries(Vi.trim().split(`
`).map(e=>{let[t,n,r,a,i]=e.split(" ");return[t,{code:n,mobile:new RegExp(`^(?=\\d{${r}}$)(?:${a})`),trunk:i==="-"?"":i}]})),$r=/^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d*)$/,Yi={54:e=>{let[t,...n]=[/^9?(11)15(\d{8})$/,/^9?([23]\d\d)15(\d{7})$/,/^9?([23]\d{3})15(\d{6})$/].filter(r=>r.test(e)).map(r=>e.replace(r,"9$1$2"));return t&&!n.length?t:/^(11|[23])\d+$/.test(e)&&e.length===10?"9"+e:e},55:e=>e.replace(/^([1-9][1-9])([6-9]\d{7})$/,"$19$2"),52:e=>e.replace(/^(?:01|04[45]|1)(?=[2-9]\d{9}$)/,"")},fr=(e,t)=>Yi[e]?.(t)??t;function ur({code:e,mobile:t,trunk:n},r){return[r,...n&&r.startsWith(n)?[r.slice(n.length)]:[]].map(i=>fr(e,i)).find(i=>t.test(i))||""}function Te(e,t){let n=Ve(e||"").replace(/^(https?:\/\/)?wa\.me\/\+?/,"+");if(!/^(\+|00)?[\d\s().\-/]+$/.test(n))return"";let r=n.replace(/\D/g,"");if(/^(\+|00)/.test(n)){let[,l="",c=""]=$r.exec(r.replace(/^00/,""))||[],m=Object.values(pr).some(p=>p.code===l&&p.trunk==="0"),d=l+fr(l,m?c.replace(/^0/,""):c);return/^[1-9]\d{7,14}$/.test(d)?d:""}let a=pr[t.toUpperCase()];if(!a)return"";let i=ur(a,r)||r.startsWith(a.code)&&ur(a,r.slice(a.code.length));return i?a.code+i:""}var Zi={1:/^(\d{3})(\d{3})(\d{4})$/,33:/^(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/,52:/^(\d\d)(\d{4})(\d{4})$/,54:/^(9)(11|\d{3})(\d{3,4})(\d{4})$/,55:/^(\d\d)(\d{4,5})(\d{4})$/,56:/^(\d)(\d{4})(\d{4})$/};function Dt(e){let[,t="",n=""]=$r.exec(e)||[],r=Zi[t]?.exec(n)?.slice(1)||(n.length===8?[n.slice(0,4),n.slice(4)]:n.match(/\d{3}(?=\d{3})|\d+$/g)||[]);return["+"+t,...r].join(" ")}var qe=(e,t)=>`https://wa.me/${e}?text=${encodeURIComponent(t)}`;var En=new Map,hr=()=>En.clear(),Zt=({is_admin:e,credits:t},n)=>e?"":ys(t,n,Pt[0]),Rn=e=>o`<${Xi} key=${e.id} reseller=${e} />`;function Xi({reseller:e}){let{id:t,username:n}=e,r=Q.manage(e,"credits:move"),a=w("users:write"),i=Te(e.whatsapp,e.country),l=E(e.credits),c=s("reseller.whatsapp",{name:n}),m=(d,p,u,$="")=>o`<${_} class=${$} to=${`/resellers/${t}?do=${d}`}><${f} name=${p} />${u}<//>`;return o`<tr data-id=${t}>
    <th scope="row" class="name"><span class="named"><${_} class="clip" to=${"/resellers/"+t} title=${n} translate=${!1} data-row>${n}<//>${!!(e.is_master||e.is_admin)&&o`<span class="badge">${s("role."+(e.is_admin?"admin":"master"))}</span>`}</span></th>
    <td class="num bal" translate=${!1}>${!e.is_admin&&o`<b>${l}</b><span class="unit">${Y(e.credits).replace(l,"")}</span>`}</td>
    <td class="sit"><${Pn} reseller=${e} /></td>
    <td class="last clip quiet" title=${A(e.recharge)}>${!e.is_admin&&xe(e.recharge)}</td>
    <td class="tel clip">${e.whatsapp}</td>
    <td class="notes clip quiet" title=${e.notes}>${e.notes}</td>
    <td class="does"><span>
      ${r&&o`<button type="button" class="button row-act" aria-haspopup="dialog" aria-label=${s("reseller.topup-title",{name:n})} onClick=${()=>Ke.set({reseller:e,name:"topup"})}>${s("reseller.topup")}</button>`}
      ${i?o`<a class="button ghost only" href=${qe(i,"")} target="_blank" rel="noopener noreferrer" aria-label=${c} title=${c}><${f} name="message-circle" /></a>`:o`<i></i>`}
      ${(r||a)&&o`<${fe} label=${s("more-about",{name:n})}>
        ${a&&m("contact","pencil",s("reseller.contact"))}
        ${r&&o`<button type="button" onClick=${()=>Ke.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${s("reseller.reclaim")}</button>`}
        ${w("lines:read")&&o`<${_} to=${"/lines?owner="+t}><${f} name="tv" />${s("nav.lines")}<//>`}
        ${Q.manage(e,"users:write")&&o`<hr />${e.block_reseller?m("unblock","lock-open",s("reseller.unblock")):m("block","lock",s("reseller.block")+"…","bad")}`}<//>`}
    </span></td>
  </tr>`}function Pn({reseller:e,badge:t}){let n=e.active_tree?e.is_admin?"":U(e.credits)?Zt(e)&&"low":"empty":e.block_reseller?"blocked":"blocked-above";if(!n)return null;let r=s("reseller."+n),a=s(`reseller.${n}-brief`);return o`<${at} of=${n} tone=${n==="low"?"warn":"bad"} icon=${n==="low"?"trending-down":n==="empty"?"circle-alert":"lock"} badge=${t}>${t?r:o`<span class="long">${n==="blocked-above"?a:r}</span><span class="brief">${a}</span>`}<//>`}function br({master:e}){let t=String(e),[n,r]=g(()=>En.get(t)||{rows:[],next:""}),[a,i]=g(null),[l,c]=g(!0),m=async(u,$)=>{c(!0),i(null);try{let b=Math.min(500,Math.max(50,n.rows.length-u.length)),{data:y,next_cursor:v}=await Co("/users",{master:e,limit:b,cursor:$},1),k={rows:[...u,...y],next:v};En.set(t,k),r(k)}catch(b){i(b)}c(!1)};S(()=>{m([],"")},[e]);let{rows:d,next:p}=n;return o`<div class="branch" aria-busy=${l}>
    ${d.length>0&&o`<table class="table resellers few"><tbody>${d.map(Rn)}</tbody></table>`}
    ${a?o`<${N} problem=${a} retry=${()=>m(d,p||"")} />`:p===""&&l?o`<p class="quiet">${s("list.loading")}</p>`:p?o`<button type="button" class="button wide" disabled=${l} onClick=${()=>m(d,p)}>${s("tree.more")}</button>`:!d.length&&o`<p class="quiet">${s("tree.none")}</p>`}
  </div>`}var el=9,tl=5e3,sl=200;function gr(e){let[t,n]=g({}),[r,a]=g(0),i=JSON.stringify(e);return S(()=>{let l=new AbortController;return nl(e,l.signal,c=>n({what:i,from:c,entries:[]}),c=>n(m=>({...m,entries:[...c.reverse(),...m.entries].slice(0,sl)})),c=>n(m=>m.what===i&&m.from!==null?m:{what:i,from:null,entries:[],problem:c})),()=>l.abort()},[i,r]),{...t.what===i?t:{from:null,entries:[]},reload:()=>a(r+1)}}async function nl(e,t,n,r,a){let i=null,l=0;for(;!t.aborted;){await gt(t);let{stop:c,done:m}=ol(t);try{if(i===null){let{data:u,next_cursor:$}=await J("GET","/events",{query:{...e,order:"desc",limit:1},signal:c});l=u[0]?.seq||0,i=$||"",n(l)}let d=await J("GET","/events",{query:{...e,cursor:i,wait:el},signal:c}),p=d.data.filter(u=>u.seq>l);if(i=d.next_cursor,!p.length)continue;l=p[p.length-1].seq,r(p)}catch(d){if(c.aborted)continue;d.status===410?i=null:(a(d),await lt(t,tl))}finally{m()}}}var gt=e=>new Promise(t=>{let n=()=>{document.hidden&&!e.aborted||(document.removeEventListener("visibilitychange",n),t())};document.addEventListener("visibilitychange",n),e.addEventListener("abort",n,{once:!0}),n()});function ol(e){let t=new AbortController,n=()=>{(document.hidden||e.aborted)&&t.abort()};return document.addEventListener("visibilitychange",n),e.addEventListener("abort",n),n(),{stop:t.signal,done:()=>{document.removeEventListener("visibilitychange",n),e.removeEventListener("abort",n)}}}var lt=(e,t)=>new Promise(n=>{let r=setTimeout(n,t);e.addEventListener("abort",()=>{clearTimeout(r),n()},{once:!0})});var Se=ie(null),rl=1e3,{signal:wr}=new AbortController;async function At(e){let t=Se.get();if(t?.id===e.id&&t.status==="running")return;Se.set(e);let n=e;for(;n?.id===e.id&&n.status==="running";){if(await lt(wr,rl),await gt(wr),Be.get().is!=="in")return Se.set(null);try{let r=await J("GET",`/bulk/${e.id}`);Se.get()?.id===e.id&&Se.set(r)}catch(r){r.unknown||Se.set(null)}n=Se.get()}n?.id===e.id&&(gs(),Qe())}var wt=({action:e,matched:t})=>s("line."+(e==="details"?"describe":e))+": "+Fe(t),Fe=e=>s("many.lines",{n:e,count:q(e)}),Cs=({done:e,matched:t})=>s("job.of",{done:q(e),all:q(t)}),Xt=e=>e.dry_run?s("job.counted"):e.status==="running"?Cs(e):s("job."+e.status)+" "+Ye([s("job.succeeded",{n:e.succeeded,count:q(e.succeeded)}),...e.refused?[s("job.refused",{n:e.refused,count:q(e.refused)})]:[]])+".";function _s(e){let t="many.why."+e,n="problem."+e;return ue(t)?s(t):ue(n)?s(n):e}function yr(){let e=Se.use();return S(()=>{w("lines:read")&&J("GET","/bulk",{query:{limit:1}}).then(({data:t})=>{t[0]?.status==="running"&&At(t[0])},()=>{})},[]),e?.status!=="running"?null:o`<${_} class="job" to=${"/jobs/"+e.id}><${f} name="clock" /><span>${e.dry_run?s("many.counting"):`${wt(e)} – ${Cs(e)}`}</span><//>`}var yt=["access","reminder","expired","welcome"],Dn=["username","password","expires","days","server","apps"],vr=new RegExp(`\\{(${Dn.join("|")})\\}`,"g");function kr(e,t){let n=a=>t[a]!==void 0&&t[a]!==null&&t[a]!=="";return e.split(`
`).filter(a=>[...a.matchAll(vr)].every(([,i])=>n(i))).map(a=>a.replace(vr,(i,l)=>String(t[l]))).join(`
`).replace(/\n{3,}/g,`

`).trim()}var xr=e=>e.includes("{password}"),Sr=864e5,Cr=(e,t)=>Math.max(0,Math.ceil((Date.parse(e)-t)/Sr));function _r({expDate:e,isTrial:t},n){let r=Date.parse(e)-n;return r<=0?"expired":!t&&r<=7*Sr?"reminder":"access"}var Ee=ie({of:"",ended:!0,value:null}),Or=e=>Ee.set({of:se(h()),ended:!0,value:e});async function al(e=!1){let t=se(h()),n=Ee.get();if(n.of===t&&!(e&&n.ended)||(Ee.set({of:t,ended:!w("lines:read"),value:null}),Ee.get().ended))return;let r=await J("GET",`/users/${h().id}/messages`).catch(()=>null);Ee.get().of===t&&!Ee.get().ended&&Ee.set({of:t,ended:!0,value:r})}function Je(){let{of:e,ended:t,value:n}=Ee.use(),r=se(h());return S(()=>{al(e===r&&t&&!n)},[r]),{messages:e===r?n:null,reading:e!==r||!t}}var Xe=(e,t)=>{let n=e;return t?.[n]||t?.inherited[n]||(e==="server"||e==="apps"?"":s("message.default."+e))},An=e=>Xe(e,Ee.get().of===se(h())?Ee.get().value:null),Os=(e,{username:t,password:n,expDate:r},a)=>kr(e,{username:t,password:n,expires:A(r),days:Cr(r,W()),server:Xe("server",a),apps:Xe("apps",a)}),Lt=(e,t)=>Os(An(e),t,Ee.get().of===se(h())?Ee.get().value:null);var Ln=({expDate:e})=>Date.parse(e)>W()?"reminder":"expired";function Tr({line:e}){Je();let t=Ln(e),n=s("line.remind",{name:e.username}),r=o`<${f} name="message-circle" />`;return xr(An(t))?o`<${_} class="button ghost only" to=${"/lines/"+e.id} aria-label=${n} title=${n} data-remind>${r}<//>`:o`<a class="button ghost only" href=${qe(Te(e.whatsapp,e.country),Lt(t,e))} target="_blank" rel="noopener noreferrer"
      aria-label=${n} title=${n} data-remind>${r}</a>`}var Ts=500,Fr=()=>`resellerd${me} reminded ${se(h())}`,Er=()=>new Date(W()).toDateString();function qr(){let e=JSON.parse(Ne(Fr())||"{}");return e.day===Er()?e.ids:[]}function qs({ids:e,query:t={},onClose:n}){let r=Ue(e?null:"/lines",{...t,limit:Ts},Ts),[a]=g(qr),[i,l]=g([]),c=e||(r.value?.data||[]).slice(0,Ts).map(({id:T})=>T),m=c.filter(T=>!a.includes(T)),d=(m.length?m:c).filter(T=>!i.includes(T)),[p]=d,u=c.length-d.length,$=c.length,b=j(p?`/lines/${p}`:null),y=!Je().reading&&b.value?.id===p?b.value:null,v=()=>{if(De(Fr(),JSON.stringify({day:Er(),ids:[...qr(),p].slice(-4*Ts)})),d.length>1)return l([...i,p]);n(),re(P(s("queue.done")))},k=e||r.value?b.problem:r.problem;return o`<${he} title=${$?s("queue.title",{n:$,count:q($)}):s("queue")} about=${$?s("queue.at",{at:q(u+1),all:q($)}):""} onClose=${n}>
    <svg class="left" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4" /><rect class="run" width=${$?100*u/$:0} height="4" /></svg>
    ${k?o`<${N} problem=${k} retry=${e||r.value?b.reload:r.reload} />${p&&o`<button type="button" class="button link" onClick=${v}>${s("queue.skip")}</button>`}`:y?o`<${il} key=${p} line=${y} last=${d.length===1} next=${v} />`:r.value&&!$?o`<p>${s("lines.none-such")}</p>`:o`<${Ft} />`}
  <//>`}function il({line:e,last:t,next:n}){let r=st(),[a,i]=g(null),l=V(null),c=Te(e.whatsapp,e.country),m=a??Lt(Ln(e),e);S(()=>l.current?.focus({preventScroll:!0}),[]);let d=p=>p.detail>1?p.preventDefault():setTimeout(n);return o`<div class="turn">
    <div><h3 id=${r} class="name" translate=${!1}>${e.username}</h3>
      <p class="quiet small">${ds(e.expDate)} · ${c?Dt(c):o`<span class="soon">${e.whatsapp?s("queue.unsure",{number:e.whatsapp}):s("queue.no-number")}</span>`}</p></div>
    ${a===null?o`<p class="bubble text" translate=${!1} data-message>${m}</p>`:o`<textarea class="input" rows="8" maxlength="2000" aria-label=${s("queue.edit")} value=${a} onInput=${p=>i(p.target.value)}></textarea>`}
    <a class="button primary tall wide" ref=${l} href=${qe(c,m)} target="_blank" rel="noopener noreferrer" aria-describedby=${r} data-next onClick=${d}><${f} name="message-circle" />${s(t?"queue.last":"queue.next")}</a>
    <div class="rowed"><button type="button" class="button link" data-skip onClick=${n}>${s("queue.skip")}</button>
      ${a===null&&o`<button type="button" class="button link" onClick=${()=>i(m)}>${s("queue.edit")}</button>`}</div>
  </div>`}var Fs=new Map,In=new Map;function et(e=h().id){let[t,n]=g(null),[,r]=g(0),a=()=>{let i=In.get(e)||J("GET","/prices",{query:e===h().id?{}:{owner:e}}).then(({prices:l})=>{Fs.set(e,l)}).finally(()=>{In.delete(e)});In.set(e,i),i.then(()=>n(null),n).then(()=>r(l=>l+1))};return S(()=>{Fs.has(e)?r(i=>i+1):a()},[e]),{prices:Fs.get(e)||null,problem:t,reload:a}}var Rr=()=>Fs.clear();function Es(e){let[,t,n]=/^(\d+) (day|month)s?$/.exec(e)||[];return n?s("period."+n,{n:Number(t)}):e}var It=({name:e,period:t})=>e===t?Es(t):e,Mn=e=>e&&e>1?s("plan.connections-n",{n:e,count:q(e)}):"",Pr=(e,{isTrial:t,status:n,plan:r,connections:a,packages:i})=>e.filter(l=>t||!n||!r&&l.connections===1||l.connections===a&&String(l.packages)===String(i));function es({form:e,prices:t,problem:n,reload:r}){return n&&!t?o`<${N} problem=${n} retry=${r} />`:o`<fieldset class="choice" disabled=${e.frozen}>
    <legend>${s("price.choose")}</legend>
    ${!t&&[1,2,3,4,5,6].map(a=>o`<span key=${a} class="place"></span>`)}
    ${t?.map(a=>o`<label key=${a.plan}>
      <input type="radio" name="credits" value=${a.credits} checked=${e.fields.plan===a.plan} onChange=${()=>e.set({plan:a.plan})} data-plan=${a.plan} />
      <span><strong>${It(a)}</strong> ${(a.name!==a.period||a.connections>1)&&o`<span class="quiet">${[a.name!==a.period&&Es(a.period),Mn(a.connections)].filter(Boolean).join(" · ")}</span> `}<${$e} of=${a.credits} /></span>
    </label>`)}
  </fieldset>`}var Rs=({form:e,required:t=!0})=>o`
  <${F} form=${e} name="username" label=${s("username")} maxlength="64" required />
  <${F} form=${e} name="password" label=${s("password")} minlength="4" maxlength="128" required=${t} />`,ct=({form:e,all:t=!0})=>o`
  <${F} form=${e} name="country" label=${s("country")} hint=${s("country.hint")} maxlength="64" required />
  <${F} form=${e} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
  ${t&&o`<${F} form=${e} name="telegram" label=${s("telegram")} maxlength="64" />
    <${F} form=${e} name="email" label=${s("email")} type="email" inputmode="email" maxlength="254" />`}
  <${F} form=${e} name="notes" label=${s("notes")} kind="textarea" rows="3" maxlength="2000" />`,Mt=e=>({country:e.country,whatsapp:e.whatsapp.trim()||null,telegram:e.telegram.trim()||null,email:e.email.trim()||null,notes:e.notes.trim()||null});var ts=ie(0),jt=ie({}),jn=()=>`resellerd${me} renewed by plan for ${se(h())}`;function ll(e){let t=Number(Ne(jn()));return e.find(n=>n.plan===t)||e.find(n=>n.period==="1 month")||e[0]}function Nt(e={}){let{prices:t,problem:n,reload:r}=et(e.owner),a=V(void 0),i=t&&Pr(t,e);return i&&(a.current||=ll(i)),{prices:i,problem:n,reload:r,likely:a.current}}function Nn(e){let t=_e.use(),n=j(e.owner===h().id||!w("users:read")?null:`/users/${e.owner}`);return e.owner===h().id?t:n.value}function Dr({payer:e,form:t}){let n=t.fields.credits;if(!e||!n)return null;if(t.frozen)return o`<p>${ae("cost.sent",{cost:Y(n)})}</p>`;if(e.is_admin)return o`<p class="quiet">${s("cost.issued")}</p>`;let r={name:e.username,cost:Y(n),now:E(e.credits),after:E($t(e.credits,n))};return U(e.credits)<U(n)?o`<${ee} tone="unsure"><p>${ae(e.id===h().id?"cost.short":"cost.short-of",r)}</p><//>`:o`<p>${ae(e.id===h().id?"cost.own":"cost.other",r)}</p>`}var Ar=e=>S(()=>{e&&(document.querySelector("dialog[open] input:checked")||null)?.focus()},[!!e]);function Lr(e,{prices:t,likely:n,reload:r}){let a=R(e),i=a.fields.plan,{plan:l,credits:c}=a.frozen?a.said():t?.find(m=>m.plan===i)||t?.find(m=>m.plan===n?.plan)||{};return S(()=>{a.problem?.code==="price-changed"&&r()},[a.problem]),[{...a,fields:{...a.fields,plan:l,credits:c||""}},{plan:l,credits:c}]}function Bn({line:e,payer:t,then:n,onClose:r}){let a=Nt(e),[i,l]=Lr({name:"extend "+e.id,method:"PATCH",path:"/lines/extend/"+e.id,title:s("line.extend-title",{name:e.username}),payer:e.owner,here:!0,fields:{plan:0},secret:["plan"]},a),c=j(l.plan&&!i.frozen?`/lines/extend-preview/${e.id}`:null,l);D(i,()=>{De(jn(),String(l.plan)),n(i.answer,i.key)}),Ar(a.likely);let m=c.value&&c.value.plan===l.plan?c.value:null,d=i.frozen?null:m,p=i.state==="editing"&&!m&&c.problem;return o`<${H} form=${i} submit=${l.credits?s("line.renew-for",{cost:Y(l.credits)}):s("line.extend")} ready=${!!l.plan&&!p}
    onSubmit=${()=>i.send(l)} onClose=${r}>
    <${es} form=${i} ...${a} />
    <div class="becomes" aria-live="polite">
      ${p?o`<${N} problem=${p} retry=${c.reload} />`:o`<p data-preview=${d?!0:void 0}>${d?s("line.preview",{until:A(d.expDate)}):" "}</p><${Dr} payer=${t} form=${i} />`}
    </div>
  <//>`}function zn({line:e,payer:t,then:n,onClose:r}){let a=Nt(e),[i,l]=Lr({name:"activate "+e.id,method:"PATCH",path:"/lines/active/"+e.id,title:s("line.activate-title",{name:e.username}),payer:e.owner,here:!0,fields:{username:e.username,password:e.password||"",plan:0,whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}},a),{fields:c}=i;return D(i,()=>{De(jn(),String(l.plan)),n(i.answer,i.key)}),Ar(a.likely),o`<${H} form=${i} submit=${l.credits?s("line.activate-for",{cost:Y(l.credits)}):s("line.activate")} ready=${!!l.plan} onClose=${r}
    onSubmit=${()=>i.send({...c,whatsapp:c.whatsapp.trim()||null,notes:c.notes.trim()||null})}>
    <${es} form=${i} ...${a} />
    <div class="becomes brief" aria-live="polite"><${Dr} payer=${t} form=${i} /></div>
    <${hs} title=${s("line.data")} form=${i} open=${e.password===null} names=${["username","password","country","whatsapp","notes"]}><${Rs} form=${i} /><${ct} form=${i} all=${!1} /><//>
  <//>`}function cl({line:e,...t}){let n=j(`/lines/${e.id}`);return o`<${G} of=${n}>${r=>o`<${zn} ...${t} line=${r} />`}<//>`}var Un=({line:e,onClose:t,children:n})=>o`<${he} look="side-panel renew" onClose=${t}
  title=${ae(e.isTrial?"line.activate-title":"line.extend-title",{name:e.username})}
  about=${o`<${Et} line=${e} /> ${nt(e.expDate)?xe(e.expDate)+", ":""}${Tt(e.expDate)}`}>${n}<//>`;function Ir({line:e,then:t}){let n=Nn(e),r=()=>{ts.get()===e.id&&ts.set(0)},a=(i="")=>{r(),t(i)};return je(()=>r,[]),o`<${Un} line=${e} onClose=${()=>a()}>
    <${e.isTrial?cl:Bn} line=${e} payer=${n} onClose=${()=>a()} then=${i=>{jt.set({...jt.get(),[e.id]:i}),a(i.expDate)}} />
  <//>`}var Wn=500,vt={extend:"lines:spend",suspend:"lines:write",resume:"lines:write",delete:"lines:delete"},Gn=()=>Object.keys(vt).filter(e=>w(vt[e])),tt=ie(null);function ns(e){let t=tt.use();return t?.filter===e?t:null}var Mr=(e,t)=>tt.set(t.length?{filter:e,ids:t}:null);function jr(e="",t){let n=ns(e),r=!!n&&!n.ids;return[r||!!n?.ids?.includes(t),r,()=>{let a=tt.get(),i=a?.filter===e&&a.ids||[];Mr(e,i.includes(t)?i.filter(l=>l!==t):[...i,t])}]}var ml=(e,t)=>`${me}/exports/${e}?`+new URLSearchParams({...Po(),...t}),kt=({of:e,query:t,label:n=s("export"),look:r="button ghost"})=>o`<a class=${r} href=${ml(e,ss(t))} download=""><${f} name="download" />${n}</a>`,Ps=({query:e,look:t})=>o`<${kt} of="lines" query=${{...e,passwords:!1}} look=${t} />
  ${w("lines:passwords")&&o`<${kt} of="lines" query=${e} label=${s("export.passwords")} look=${t} />`}`,ss=e=>Object.fromEntries(Object.entries(e).filter(([,t])=>t!=null&&t!==""));function Nr({filter:e}){let t=ns(e),n=()=>Mr(e,t?[]:[...document.querySelectorAll(".screen [data-id]")].map(r=>Number(r.getAttribute("data-id"))).slice(0,Wn));return o`<label class="hit"><input type="checkbox" class=${t?.ids?"is-some":""} checked=${!!t&&!t.ids} onChange=${n} aria-label=${s("select.shown")} data-shown /></label>`}function Br({filter:e,query:t,listed:n,leave:r}){let a=ns(e),[i,l]=g(!1),c=a?a.ids:[],m=!!c&&c.length>Wn,d=c?{ids:c}:{filter:ss(t)},[p,...u]=Gn(),$={extend:"calendar-plus",suspend:"circle-pause",resume:"play",delete:"trash-2"},b=(v,k="")=>o`<button key=${v} type="button" class=${k} disabled=${!a||m} data-action=${v} onClick=${()=>Z(v,{picked:d})}>
    <${f} name=${$[v]} />${v==="extend"&&c?.length?s("home.renew",{n:c.length,count:q(c.length)}):s("line."+v)}${v==="delete"?"…":""}</button>`,y=o`<button type="button" class="button link" data-all aria-pressed=${!c} onClick=${()=>tt.set(c?{filter:e,ids:null}:null)}>${s("select.found")}</button>`;return o`<div class="pick-bar" role="region" aria-label=${s("select")}>
    <p role="status"><b>${m?s("select.most",{n:q(Wn)}):dl(c)}</b></p>${y}
    ${p&&b(p,"button primary")}
    <button type="button" class="button" disabled=${!a||m} data-queue onClick=${()=>l(!0)}><${f} name="message-circle" />${s("queue")}</button>
    ${u.map(v=>v!=="delete"&&b(v,"button wide-only"))}
    <${fe} label=${s("select.more")}>${u.map(v=>o`${v==="delete"&&o`<hr />`}${b(v,v==="delete"?"bad":"")}`)}
      ${!c&&o`<${Ps} query=${n} look="" />`}<//>
    <button type="button" class="button ghost only end" aria-label=${s("select.none")} title=${s("select.none")} onClick=${r}><${f} name="x" /></button>
    ${i&&o`<${qs} ids=${c||void 0} query=${ss(n)} onClose=${()=>l(!1)} />`}
  </div>`}var dl=e=>e?s("select.count",{n:e.length,count:q(e.length)}):s("select.all"),Hn=5;async function pl(e,t,n){Qe();let r=null;for(let a=1;!r;a++)try{r=await J("POST",e,{body:JSON.stringify({...t,dry_run:!0}),signal:n})}catch(i){if(a===5||!/^(count|job)-running$/.test(i.code))throw i;await lt(n,1e3)}if(!r.status)return{...r,of:t.params.plan};At(r);try{for(;r.status==="running";)await lt(n,1e3),await gt(n),r=await J("GET",`/bulk/${r.id}`,{signal:n})}catch(a){throw n.aborted&&J("DELETE",`/bulk/${r.id}`).catch(()=>{}),a}if(!r.outcome)throw new Pe("not-found");return{...r.outcome,of:t.params.plan}}function Ds({action:e,picked:t,said:n,up:r="/lines"}){let a=s("line."+e)+": "+(t.ids?Fe(t.ids.length):s("many.found")),i=R({name:"bulk "+e,method:"POST",path:"/bulk",title:a,fields:{plan:0,reason:"",typed:""},secret:["typed"]}),l=Nt(),c={...i,fields:{...i.fields,plan:e!=="extend"?0:i.frozen?i.said().params?.plan:i.fields.plan||l.likely?.plan}},{fields:m,frozen:d,answer:p}=c,u={action:e,select:t,params:m.plan?{plan:m.plan}:{}},$=!d&&(e!=="extend"||!!m.plan),b=j($?"/bulk":null,u,pl),y=b.value,v=y&&y.of===u.params.plan?y:null,k=v?.would_succeed||0,T=v?Y(v.total):"";D(c,()=>{tt.set(null),At(p),be("/jobs/"+p.id,{replace:!0})});let L=()=>c.send({...u,params:e==="suspend"&&m.reason.trim()?{reason:m.reason}:u.params,expect:{count:k,total:v?.total}}),O=e!=="delete"||Ve(m.typed).replace(/\D/g,"")===String(k);return o`<${B} title=${a} up=${r}><section class="panel">
    <${H} form=${c} danger=${e==="delete"||e==="suspend"} ready=${k>0&&O&&!b.loading}
      submit=${k?s("many.do."+e,{n:k,count:q(k),cost:T}):s("line."+e)} onSubmit=${L} onClose=${()=>C()}>
      ${t.filter&&o`<p>${n.length?s("many.filtered",{by:n.join(" · ")}):s("many.unfiltered")}</p>`}
      ${e==="extend"&&o`<${es} form=${c} ...${l} />`}
      <div aria-live="polite" aria-busy=${$&&b.loading}>
        ${d?e==="extend"&&v&&o`<p>${ae("cost.sent",{cost:T})}</p>`:v?o`<${ul} outcome=${v} paid=${e==="extend"} />`:$&&!b.problem&&o`<p class="quiet" role="status">${s("many.counting")}</p>`}
      </div>
      ${b.problem&&$&&c.state!=="refused"&&o`<${N} problem=${b.problem} retry=${b.reload} />`}
      ${e==="suspend"&&o`<p>${s("many.suspend-means")}</p><${F} form=${c} name="reason" label=${s("reason")} hint=${s("many.reason-hint")} kind="textarea" rows="2" maxlength="500" />`}
      ${e==="delete"&&o`<p>${s("many.delete-means")}</p>${k>0&&o`<${F} form=${c} name="typed" label=${s("many.delete-type",{n:q(k)})} inputmode="numeric" required />`}`}
    <//>
  </section><//>`}function ul({outcome:{matched:e,would_succeed:t,refused:n,total:r,balances_after:a},paid:i}){let l=_e.use(),c=h().is_admin?void 0:a[h().id],m=Object.entries(a).filter(([p])=>p!==String(h().id)),d=Y(r);return o`<p data-outcome><strong>${ae("many.matched",{n:e,count:q(e)})}</strong></p>
    ${i&&t>0&&o`<p>${h().is_admin&&!m.length?s("cost.issued"):l&&c!==void 0&&!m.length?ae("cost.own",{cost:d,now:E(l.credits),after:E(c)}):ae("cost.sent",{cost:d})}</p>`}
    ${m.length>0&&o`<div class="members"><${X} of=${[...c===void 0?[]:[[String(h().id),c]],...m.slice(0,Hn)].map(([p,u])=>[o`<${$l} id=${Number(p)} />`,ae("many.left",{amount:E(u)})])} /></div>${m.length>Hn&&o`<p class="quiet">${s("job.more",{n:m.length-Hn})}</p>`}`}
    <${fl} of=${n} all=${e>0&&!t} />`}var $l=({id:e})=>o`<span class="name" translate=${!1}>${Oe(e)||s("reseller.by-id",{id:e})}</span>`;function fl({of:e,all:t}){let n=Object.entries(e),r=n.reduce((a,[,i])=>a+i,0);return r?o`<div class="note warn" data-refused=${r}><${f} name="triangle-alert" /><div><p>${t?s("many.none"):s("many.refused",{n:r,count:q(r)})}</p>
    <${X} of=${n.map(([a,i])=>[Fe(i),_s(a)])} /></div></div>`:null}var zr={external_id:"line.external-id",metadata:"line.metadata",balance_low:"alert",messages:"nav.messages",url:"webhook.url",types:"webhook.types",scope:"filter.whose",description:"webhook.description",enabled:"webhook.enabled",name:"key.name",role:"rights",scopes:"rights",spend_limit:"limit",suspension_reason:"reason",block_reason:"reason",expires_at:"key.expires",allowed_addresses:"key.addresses"};function Ur({actor:e}){return e.kind==="operator"?s("event.by-operator"):e.kind==="system"?s("event.by-system"):e.kind==="key"&&e.name?s("event.by-key",{name:e.name}):e.account===h().id&&(e.kind==="staff"?e.id:void 0)===h().staff?.id?s("event.by-me"):e.name?s("event.by",{name:e.name}):s("event.by-above")}function Hr({changes:e,line:t,data:n,reason:r}){let a=[],{expDate:i,username:l,lines_suspended:c,suspended:m,blocked:d}=e,p=m||d;if(l?.[0]&&l[1]&&a.push(s("event.renamed",{from:l[0],to:l[1]})),t&&i?.[1]&&a.push(s("event.until",{until:A(i[1])})),c&&a.push(`${s("nav.lines")}: ${s(c[1]?"block.suspend":"block.run")}`),n.expDate&&a.push(s(n.days?"event.within":"event.until",{n:n.days,until:A(n.expDate)})),n.job&&a.push(wt(n),Xt(n)),n.balance_low&&a.push(s("event.balance",{balance:E(String(n.balance)),below:E(String(n.balance_low))})),ue("webhook.why."+r))return[...a,s("webhook.why."+r)];let u=new Set(Object.keys(e).filter($=>e[$]===!0&&(!p||zr[$]!=="reason")).map($=>s(zr[$]||$)));return u.size&&a.push(s("event.changed",{fields:Ye([...u])})),a}function Wr({movement:e,account:t}){if(!e)return null;let n=e.to===String(t);return o`<span class="amount ${n?"in":"out"}" translate=${!1}>${ot((n?"":"-")+e.amount)}</span>`}function hl({event:e,rest:t={}}){let n=!!e.account&&e.account!==h().id,r=e.line&&e.account&&n&&e.account!==e.actor.account?e.account:0,a=Oe(r||h().id),{username:i,webhook:l,principal:c}=e.data,m=Number(l||c),d=m?l?"/webhooks":e.type.startsWith("key")?"/keys":"/staff":"",p=tr(n?"":d,m),u=i||p||(m?"#"+m:""),$="event."+e.type,b=o`<span class="what"><span class="name">${ue($)?s($):e.type}</span>${u&&o` <span class="name clip" translate=${!1}>${u}</span>`}</span>
    ${Wr(e)}
    <span class="by quiet">${Ur(e)}${e.actor.address&&o` · ${e.actor.address}`}${!!r&&o`<span class="clip">${a?s("line.owner-name",{name:a}):s("line.owner-id",{id:r})}</span>`}</span>
    ${Hr(e).map(v=>o`<span key=${v} class="by">${v}</span>`)}
    <time class="quiet" datetime=${e.timestamp}>${A(e.timestamp)}</time>`,y=e.line&&w("lines:read")?(e.type==="line.deleted"?"/activity?line=":"/lines/")+e.line:e.data.job?n||!w("lines:read")?"":"/jobs/"+e.data.job:m&&!n?!w("manage")||/removed|revoked/.test(e.type)?"":`${d}/${m}`:n&&Q.seeResellers()?"/resellers/"+e.account:"";return y?o`<${_} class="row event" to=${y} ...${t}>${b}<//>`:o`<div class="row event">${b}</div>`}var os=e=>o`<${hl} event=${e} rest=${{"data-row":!0}} />`,bl={"line.trial_created":"plus","line.activated":"zap","line.extended":"calendar-plus","line.suspended":"circle-pause","line.resumed":"play","line.expiring":"clock-alert","line.expired":"circle-x","reseller.credited":"coins","reseller.reclaimed":"coins","reseller.blocked":"lock","reseller.unblocked":"lock-open","line.updated":"pencil","reseller.updated":"pencil","reseller.created":"plus"};function gl({event:e}){let t="event."+e.type;return o`<li><span class="dot"><${f} name=${bl[e.type]||"activity"} /></span>
    <span class="name">${ue(t)?s(t):e.type}</span><span class="num">${Wr(e)}</span>
    <small><time datetime=${e.timestamp}>${A(e.timestamp)}</time>${[Ur(e),...Hr(e)].map(n=>o`<span key=${n}> · ${n}</span>`)}</small></li>`}var As=e=>Ue(w("events:read")?"/events":null,{...e,order:"desc",limit:6},6);function Ls({of:e,latest:t}){return w("events:read")?o`<section class="panel"><h2>${s("history")}</h2>
    <${G} of=${t}>${({data:n,next_cursor:r})=>o`
      ${n.length?o`<ol class="time">${n.slice(0,5).map(a=>o`<${gl} key=${a.id} event=${a} />`)}</ol>`:o`<p class="quiet">${s("activity.none-such")}</p>`}
      ${(r||n.length>5)&&o`<p><${_} to=${"/activity?"+new URLSearchParams(e)}>${s("home.all")}<//></p>`}`}<//>
  </section>`:null}var Gr={lines:["line.*"],jobs:["bulk.*"],credits:["reseller.credited","reseller.reclaimed","line.activated","line.extended","balance.*"],accounts:["reseller.*","operator.*"],access:["session.*","token.*","password.*","totp.*"],keys:["key.*","staff.*"],webhooks:["webhook.*"]},Kr=["what","mine","line","account"];function Jr(){let{query:e}=M.use(),t=e.get("what")||"",n={type:Gr[t],account:e.get("mine")?h().id:e.get("account"),line:e.get("line")},{from:r,entries:a,problem:i,reload:l}=gr(n),c=Kr.some(d=>e.get(d)),m=(d,p,u)=>o`
    <select aria-label=${p} value=${e.get(d)||""} onChange=${$=>de({[d]:$.target.value})}>
      ${u.map(([$,b])=>o`<option key=${$} value=${$}>${b}</option>`)}
    </select>`;return o`<${B} title=${s("nav.activity")}>
    <div class="filters">
      ${m("what",s("activity.what"),[["",s("activity.all")],...Object.keys(Gr).map(d=>[d,s("activity."+d)])])}
      ${Q.haveBelow()&&m("mine",s("filter.whose"),[["",s("filter.everyone")],["1",s("filter.mine")]])}
      ${c&&o`<button type="button" class="button" onClick=${()=>de(Object.fromEntries(Kr.map(d=>[d,""])))}>
        <${f} name="x" />${s("filter.clear")}</button>`}
    </div>
    <div aria-live="polite">
      ${a.length>0&&o`<ul class="rows" aria-label=${s("activity.new")}>${a.map(d=>o`<li key=${d.id}>${os(d)}</li>`)}</ul>`}
    </div>
    ${r===null&&i&&o`<${N} problem=${i} retry=${l} />`}
    ${r!==null&&o`<${Ge} path="/events" query=${{...n,order:"desc"}} row=${d=>d.seq>r?null:os(d)}
      label=${s("nav.activity")} lasting empty=${s(c?"activity.none-such":"activity.none")} />`}
  <//>`}var rs=e=>j(e===null||!w("users:read")?null:`/users/${e}/alerts`);function Is({account:{id:e,username:t},alerts:n,changed:r}){let a=s("alert.title",{name:t}),i=R({name:"alert "+e,method:"PUT",path:`/users/${e}/alerts`,title:a,fields:{credits:n.balance_low?E(n.balance_low):""}}),l=ye(i.fields.credits);return D(i,()=>{let c=i.answer.balance_low;r?.(i.answer),C(P(c?s("alert.set",{name:t,amount:Y(c)}):s("alert.unset",{name:t})))}),o`<section class="panel"><h2>${a}</h2>
    <${H} form=${i} submit=${s("save")} unclear=${!!l.wrong} onSubmit=${()=>i.send({balance_low:l.amount||null})} onClose=${()=>C()}>
      <p>${s("alert.meaning")}</p>
      <${it} form=${i} typed=${l} label=${s("alert.field")} hint=${s("alert.hint")} required=${!1} />
    <//>
  </section>`}var Ms=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",js=(e,t)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(t);function Qr({whatsapp:e,telegram:t},n){let r=Te(e||null,""),a=r?"":Ms(t||null);return a?js(a,n):qe(r,n)}function Kn({title:e,day:t,points:n,today:r,bars:a=!1,choice:i,sum:l}){let[c,m]=g(-1),[d,p]=g(!1),u=st(),$=n||[],b=Math.max(1,$.length),y=$.length-1,v=c>=0&&c<=y,k=v?c:y,T=k<0?"":s("chart.value",{time:$[k].name,amount:(a?Y:E)(Ze($[k].value))}),L=v&&T,O=Qo($.reduce((K,{value:oe})=>oe>K?oe:K,0n)),z=O[2],ne=!a&&$.length?Vo($.map(K=>K.value),z):"",ce=K=>{let{left:oe,width:Ie}=K.currentTarget.getBoundingClientRect();m(Yo(K.clientX-oe,Ie,$.length))},Le=K=>{K.pointerType==="mouse"&&m(-1)},pe=K=>{let oe=Zo(K.key,k,$.length);oe!==void 0&&(K.preventDefault(),m(oe))},ve=o`<button type="button" class="button link" onClick=${()=>p(!d)}><${f} name="table-2" />${s(d?"chart.no-table":"chart.table")}</button>`;return o`<figure class=${`panel plot ${a?"bars":"flat"} ${v?"is-chosen":""}`}>
    <header><h2 id=${u}>${e}</h2>${i||o`${L&&o`<span class="quiet">${L}</span>`}${ve}`}</header>
    ${i&&o`<p class="sum">${L||l||" "}</p>`}
    <div class="scale" aria-hidden="true">${n&&[...O].reverse().map(K=>o`<span key=${K}>${E(Ze(K))}</span>`)}</div>
    <div class="area" ...${y>=0?{role:"slider",tabIndex:0,"aria-labelledby":u,"aria-valuemin":1,"aria-valuemax":$.length,"aria-valuenow":k+1,"aria-valuetext":T,onPointerMove:ce,onPointerDown:ce,onPointerLeave:Le,onKeyDown:pe,onFocus:()=>m(K=>K<0?y:K)}:{}}>
      <svg class="chart" viewBox="0 0 ${b} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${O.slice(1).map(K=>`M0 ${100-Vt(K,z)}H${b}`).join("")} />
        ${a&&$.map(({key:K,value:oe},Ie)=>oe>0n&&o`<rect key=${K} class="bar" x=${Ie+.16} width="0.68" y=${100-Vt(oe,z)} height=${Vt(oe,z)} />`)}
        ${ne&&o`<path class="under" d=${ne+"V100H0Z"} /><path class="run" d=${ne} />`}
        ${v&&o`<path class="chosen" d="M${k+.5} 0V100" />`}
        <path class="axis" d="M0 100H${b}" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true">${y<0?" ":[...new Set([0,y>>1,y])].map(K=>o`<span key=${K}>${r&&K===y?s("chart.today"):$[K].name}</span>`)}</div>
    ${i&&ve}
    ${d&&o`<table class="table dense" aria-labelledby=${u}><thead><tr><th scope="col">${t}</th><th scope="col" class="num">${s("amount")}</th></tr></thead>
      <tbody>${$.map(K=>o`<tr key=${K.key}><th scope="row">${K.name}</th><td class="num">${E(Ze(K.value))}</td></tr>`)}</tbody></table>`}
  </figure>`}var Vr=({days:e})=>o`<${Kn} title=${s("chart.balance")} day=${s("chart.day")} today=${!!e?.length&&!nt(e[e.length-1].day)}
  points=${e&&e.map(({day:t,balance:n})=>({key:+t,name:xe(t),value:U(n)}))} />`;var Yr=[7,30,90];function Zr(){let[e,t]=g(30),n=j(w("lines:read")?"/reports/summary":null,{days:2*Math.max(e,30),tree:Q.haveBelow()?h().id:void 0}),r=V(n.value);return r.current=n.value||r.current,{...n,value:r.current,span:e,choose:t}}var wl=["extensions","activations","trials"],yl=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function Xr({of:{value:e,problem:t,reload:n}}){let r=e?.lines,a=e&&ws(e.days.slice(-1)),i=e&&ws(er(e.days)),l=(c,m,d)=>o`<div class="tile" data-figure=${c}>
    <dt>${s("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${d===null?" ":s("figures.this-month",{amount:d})}</dd></div>`;return o`<section class="panel numbers"><h2>${s("figures")}</h2>
    ${t&&o`<${N} problem=${t} retry=${n} />`}
    <dl class="tiles">
      ${wl.map(c=>l(c,a&&q(a[c]),i&&q(i[c])))}
      ${l("spent",a&&E(a.spent),i&&E(i.spent))}
    </dl>
    <ul class="tiles">${yl.map(([c,m])=>o`<li key=${c}><${_} class="tile" to=${m} data-count=${c}>
      <span class="figure">${r?q(r[c])+(r.capped?"+":""):" "}</span><span>${s(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function ea({of:{value:e,span:t,choose:n}}){let r=e&&e.days.length>=2*t?e.days.slice(-2*t):null,a=r&&r.slice(t),[i,l]=[a,r&&r.slice(0,t)].map(m=>m&&ws(m).spent),c=o`<div class="seg small" role="group" aria-label=${s("statement.period")}>
    ${Yr.map(m=>o`<button key=${m} type="button" aria-pressed=${m===t} onClick=${()=>n(m)}>${m===Yr[2]?s("figures.days",{days:m}):m}</button>`)}</div>`;return o`<${Kn} bars title=${s("figures.spent")} day=${s("figures.day")} today choice=${c}
    points=${a&&a.map(m=>({key:m.day,name:xe(m.day,"UTC"),value:U(m.spent)}))}
    sum=${i&&l&&(i==="0"?s("figures.spent-none"):o`<span><b translate=${!1}>${E(i)}</b> <span class="quiet">${s("figures.in-days",{days:t})}</span></span><${vl} of=${Xo(i,l)} />`)} />`}var vl=({of:e})=>e!==void 0&&o`<span class="quiet">${!!e&&o`<${f} name=${e<0?"trending-down":"trending-up"} />`}${s("figures."+(e?e<0?"less":"more":"same"),{percent:us(Math.abs(e))})}</span>`;var ta=e=>e.split("").map(t=>t.normalize("NFD")[0].toLowerCase()).join("");function mt(e,t){if(!e||!t)return null;let n=ta(e).indexOf(ta(t));if(n>=0)return[n,n+t.length];let r=t.replace(/[\s+\-().]/g,""),a=/^\d{4,}$/.test(r)&&new RegExp(r.split("").join("[\\s+\\-().]*")).exec(e);return a?[a.index,a.index+a[0].length]:null}function dt({text:e,by:t}){let n=mt(e,t);return e&&n?o`${e.slice(0,n[0])}<mark>${e.slice(...n)}</mark>${e.slice(n[1])}`:e}var Ns=(e,t)=>o`<${kl} key=${e.id} line=${e} filter=${t} />`;function kl({line:e,filter:t}){let n=jt.use()[e.id],r=ts.use()===e.id,a=n&&n.updatedAt>e.updatedAt?{...e,...n}:e,[i,l]=g(""),[c,m,d]=jr(t,e.id),{id:p,username:u,expDate:$,isTrial:b,effective:y,status:v}=a,k=!!v&&y!=="suspended"&&y!=="owner_blocked",T=k&&!b&&nt($)<=2,L=t&&M.get().query.get("q")||"",O=mt(u,L)?null:[a.whatsapp,a.notes].find(ne=>mt(ne,L)),z=xl(()=>{t&&!c&&d()});return o`<tr class=${[c&&"is-picked",k&&!b&&"is-active",(!v||b)&&"is-brief"].filter(Boolean).join(" ")} data-id=${p} ...${t?z:{}}>
    ${t&&o`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${d} aria-label=${s("select.line",{name:u})} /></label></td>`}
    <th scope="row" class="name clip"><${_} to=${"/lines/"+p} title=${u} translate=${!1} data-row><${dt} text=${u} by=${L} /><//></th>
    <td class="st"><${Et} line=${a} /></td>
    <td class="expiry clip">${!i&&o`<span title=${A($)}>${xe($)}</span> <span class=${T?"rel soon":"rel"}>${Tt($)}</span>`}<span class="told" role="status">${i&&o`<${f} name="check" />${i}`}</span>${O&&o`<span class="hit-in"><${dt} text=${O} by=${L} /></span>`}</td>
    <td class="phone clip"><${dt} text=${a.whatsapp} by=${L} /></td>
    <td class="notes clip quiet">${a.owner!==h().id&&o`<${Sl} id=${a.owner} />`}${a.notes&&o`<span class="note-text"><${dt} text=${a.notes} by=${L} /></span>`}</td>
    <td class="does"><span>
      ${w("lines:spend")&&o`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${s(b?"line.activate-title":"line.extend-title",{name:u})}
        onClick=${()=>{l(""),ts.set(p)}}>${s(b?"line.activate":"line.extend")}</button>`}
      <${Tr} line=${a} />
      ${w("lines:write")&&o`<${fe} label=${s("more-about",{name:u})}>
        <${_} to=${`/lines/${p}?do=edit`}><${f} name="pencil" />${s("line.edit")}<//>
        <${_} to=${`/lines/${p}?do=${a.suspended?"resume":"suspend"}`}><${f} name=${a.suspended?"play":"circle-pause"} />${s(a.suspended?"line.resume":"line.suspend")}<//>
        ${w("lines:delete")&&o`<hr /><${_} class="bad" to=${`/lines/${p}?do=delete`}><${f} name="trash-2" />${s("line.delete")}…<//>`}<//>`}
      ${r&&o`<${Ir} line=${a} then=${ne=>{ne&&l(s(b?"line.active":"line.renewed",{until:xe(ne)}))}} />`}
    </span></td>
  </tr>`}function xl(e){let t=V({timer:0,touch:!1,done:!1}),n=()=>clearTimeout(t.current.timer),r=()=>{n(),t.current.done||e(),t.current.done=!0};return{onPointerDown:a=>{let i=a.pointerType==="touch";t.current={touch:i,done:!1,timer:i?setTimeout(r,500):0}},onContextMenu:a=>{t.current.touch&&(a.preventDefault(),r())},onPointerUp:n,onPointerCancel:n,onPointerMove:n,onTouchEnd:a=>{t.current.done&&a.cancelable&&a.preventDefault()}}}function Sl({id:e}){let t=Oe(e);return o`<span class="owner">${t?s("line.owner-name",{name:t}):s("line.owner-id",{id:e})}</span>`}var Jn=()=>o`<tr><th scope="col" class="d">${s("statement.date")}</th><th scope="col">${s("statement.what")}</th><th scope="col" class="who">${s("statement.who")}</th>
  <th scope="col" class="num">${s("statement.amount")}</th><th scope="col" class="num bal">${s("statement.balance")}</th></tr>`;function Bs(e){let t=Number(e.counterparty),n=e.line_username||e.counterparty_username,r=s("kind."+e.kind),a=e.line&&w("lines:read")?"/lines/"+e.line:t>0&&t!==h().id&&Q.seeResellers()?"/resellers/"+t:"",i=a?o`<${_} to=${a} title=${n} translate=${!n} data-row>${n||r}<//>`:n?o`<b translate=${!1}>${n}</b>`:r,l=ae("balance-after",{amount:E(e.balance)}).map(c=>c&&typeof c=="string"?o`<span class="word">${c}</span>`:c);return o`<tr key=${e.id} data-id=${e.id}>
    <td class="d"><time datetime=${e.at} title=${A(e.at)}>${_t(e.at)}</time></td>
    <td class="what clip">${n?o`${r} ${i}`:i}${e.notes&&o` <span class="quiet" title=${e.notes}>${e.notes}</span>`}</td>
    <td class="who quiet clip" translate=${!1}>${e.actor_name===Ct()?s("statement.you"):e.actor_name||s("statement.above")}</td>
    <td class="num amount ${e.amount.startsWith("-")?"out":"in"}" translate=${!1}>${ot(e.amount)}</td>
    <td class="num bal quiet">${l}</td></tr>`}var sa=({of:e})=>o`<section class="panel">
  <header><h2>${s("home.movements")}</h2><${_} class="button link" to="/statement">${s("home.all")}<//></header>
  <${G} of=${e}>${({data:t,next_cursor:n})=>t.length?o`<table class="table dense ledger" aria-label=${s("home.movements")}><tbody>${t.slice(0,5).map(Bs)}</tbody></table>`:o`<p class="quiet">${n?s("home.unsure"):s("home.movements-none")}</p>`}<//>
</section>`;function Qn(e,t){let n=R({name:e,method:"POST",path:"/lines/test",title:s("trial.new"),fields:{}});return S(()=>{n.state==="done"&&(t?.(),be("/lines/"+n.answer.id,{state:P(s("trial.done",{name:n.answer.username}))}))},[n.state]),n}var Vn=({form:e})=>e.state==="unknown"?o`<${ge} form=${e} />`:e.state==="refused"&&e.problem&&o`<${N} problem=${e.problem} />`;function Bt({plain:e=!1}){let t=Qn("trial"),{state:n}=t;return o`<div class="trial" data-form=${n}>
    ${n!=="unknown"&&o`<button type="button" class=${e?"button":"button primary"} disabled=${t.frozen} onClick=${()=>t.send({})}><${f} name="plus" />${s(n==="sending"?"form.sending":"trial.new")}</button>`}
    <${Vn} form=${t} />
  </div>`}var na=()=>`resellerd${me} started ${se(h())}`;function oa(e){let{messages:t,reading:n}=Je(),[r,a]=g(()=>!!Ne(na())),l=!h().is_admin&&["lines:read","lines:write","lines:spend","users:write"].every(w)&&!r&&!!e&&!e.lines.running&&!e.lines.expired_14d&&!e.days.some(p=>p.activations||p.extensions),c=Ue(l?"/lines":null,{isTrial:0,limit:1},1),m=Xe("server",t),d=!!e&&(e.lines.trials>0||e.days.some(p=>p.trials>0));return{reading:n,known:!l||!n&&!!(c.value||c.problem),takes:l&&c.value?.data.length===0,server:m,tried:d,at:m?d?2:1:0,leave:()=>{De(na(),"yes"),a(!0)}}}function ra({of:{server:e,tried:t,at:n,leave:r}}){let a=et().prices?.find(m=>m.period==="1 month"),i=[!!e,t,!1],l="/lines?show=trials",c=(m,d,p,u)=>{let $=["server","trial","customer"].indexOf(m),b=s("start."+m);return o`<li class=${i[$]?"is-done":$===n?"is-now":""} aria-current=${$===n?"step":void 0} data-step=${m}>
      <span class="step" aria-hidden="true">${i[$]?o`<${f} name="check" />`:$+1}</span>
      <div><h2>${b}${i[$]&&o`<span class="hush"> ${s("start.done")}</span>`}</h2><p class="quiet text">${d}</p>${$===n&&u}</div>
      ${i[$]&&o`<${_} class="button ghost only" to=${p} aria-label=${s("start.change",{step:b})} title=${s("start.change",{step:b})}><${f} name="pencil" /><//>`}</li>`};return o`<section class="panel first-steps"><ol class="steps">
      ${c("server",e||s("start.server-why"),"/messages",o`<${_} class="button primary" to="/messages">${s("start.server-do")}<//>`)}
      ${c("trial",s("start.trial-why"),l,o`<${Bt} />`)}
      ${c("customer",a?s("start.customer-costs",{cost:Y(a.credits)}):s("start.customer-why"),"/lines",o`<${_} class="button primary" to=${l}>${s("start.customer-do")}<//>`)}
    </ol><p class="foot"><span>${s("start.at",{done:i.filter(Boolean).length,all:i.length})}</span><button type="button" class="button link" data-later onClick=${r}>${s("start.later")}</button></p></section>`}var zt=({url:e})=>e.split("/")[2].split("?")[0],aa=()=>({lines:{line:["trial_created","activated","extended","plan_changed","expiring","expired","suspended","resumed","imported","reimported","updated","deleted"]},balance:{balance:["low","recovered"]},accounts:{reseller:["created","credited","reclaimed","updated","blocked","unblocked"]},access:{session:["started","ended"],token:["revoked"],password:["changed"],totp:["enabled","disabled","reset"]},keys:{key:["created","updated","revoked"],staff:["created","updated","removed"]},webhooks:{webhook:["created","updated","rotated","disabled","removed"]},jobs:{bulk:["finished"]},prices:h().is_admin?{plan:["created","updated"],prices:["changed"]}:{prices:["changed"]},service:h().is_admin?{operator:["blocked","unblocked","password_reset","admin_created","service_key_replaced"],journal:["began","restored"]}:{operator:["blocked","unblocked","password_reset"]}}),Yn=e=>Object.keys(e).map(t=>t+".*"),ia=e=>Object.entries(e).flatMap(([t,n])=>n.map(r=>`${t}.${r}`)),Cl=e=>e.split(".")[0]+".*",zs=(e,t)=>e.includes(t)||e.includes(Cl(t)),la=(e,t)=>Yn(t).every(n=>e.includes(n)),ca=e=>ue("event."+e)?s("event."+e):e;function Us({types:e}){if(e.includes("*"))return s("webhook.everything");let t=[],n=new Set;for(let[r,a]of Object.entries(aa())){let i=ia(a).filter(l=>zs(e,l));for(let l of[...i,...Yn(a)])n.add(l);la(e,a)?t.push(s("activity."+r)):i.length&&t.push(`${s("activity."+r)} (${Ye(i.map(ca))})`)}return[...t,...e.filter(r=>!n.has(r))].join("; ")}var Hs=({scope:e})=>s("webhook."+e),Ws=({webhook:e})=>o`<${ze} good=${e.enabled}>${s(e.enabled?"webhook.on":"webhook.off")}<//>`,xt=({disabled_reason:e})=>[s("webhook.why."+e),s("webhook.mend."+e)],Gs=e=>({url:e?.url||"",everything:!e||e.types.includes("*"),types:e?.types.filter(t=>t!=="*")||[],scope:e?.scope||(Q.haveBelow()?"tree":"own"),description:e?.description||""}),Ks=({everything:e,types:t,description:n,...r})=>({...r,types:e?["*"]:t,description:n.trim()||null}),Js=({everything:e,types:t})=>e||t.length>0,Qs=({form:e})=>o`
  <${F} form=${e} name="url" label=${s("webhook.url")} hint=${s("webhook.url-hint")} type="url" inputmode="url" maxlength="2048" required />
  <${We} form=${e} name="everything" label=${s("webhook.types")} of=${[[!0,s("webhook.everything")],[!1,s("webhook.chosen")]]} />
  ${!e.fields.everything&&o`<fieldset class="kinds" disabled=${e.frozen} aria-label=${s("webhook.types")}>
    ${!e.fields.types.length&&o`<p class="quiet">${s("webhook.choose")}</p>`}
    ${Object.entries(aa()).map(([t,n])=>o`<${_l} key=${t} label=${s("activity."+t)} kind=${n} form=${e} />`)}
  </fieldset>`}
  ${Q.haveBelow()&&o`<${We} form=${e} name="scope" label=${s("filter.whose")} of=${["own","tree"].map(t=>[t,s("webhook."+t)])} />`}
  <${F} form=${e} name="description" label=${s("webhook.description")} kind="textarea" rows="2" maxlength="2000" />`;function _l({label:e,kind:t,form:n}){let r=n.fields.types,a=la(r,t),i=ia(t),l=Yn(t),[c]=g(!a&&i.some(u=>zs(r,u))),m=r.filter(u=>!i.includes(u)&&!l.includes(u)),d=u=>n.set({types:[...m,...u]}),p=(u,$)=>d(i.filter(b=>b===u?$:zs(r,b)));return o`<div role="group" aria-label=${e}>
    <label class="check"><input type="checkbox" checked=${a} onChange=${u=>d(u.target.checked?l:[])} />${e}</label>
    ${!a&&o`<details open=${c}><summary>${s("webhook.single")}</summary>
      <div class="choice">${i.map(u=>o`<label key=${u}>
        <input type="checkbox" value=${u} checked=${zs(r,u)} onChange=${$=>p(u,$.target.checked)} />${ca(u)}
      </label>`)}</div>
    </details>`}
  </div>`}var Vs=null,Ol=10*6e4,ma=(e=0)=>j("/ledger/proof",{},async(t,n,r)=>Vs&&W()-Date.parse(Vs.at)<e?Vs:Vs=await J("GET",t,{signal:r}));function da(){let e=ma();return o`<${B} title=${s("nav.proof")}>
    <p>${s("proof.meaning")}</p>
    <${G} of=${e}>${t=>o`
      <${ee} tone=${t.balanced?"good":"bad"}><p><strong>${s(t.balanced?"proof.good":"proof.bad")}</strong></p><//>
      <section class="panel"><${X} of=${[[s("proof.issued"),o`<${$e} of=${t.issued} />`],[s("proof.held"),o`<${$e} of=${t.balances} />`],[s("proof.consumed"),o`<${$e} of=${t.consumed} />`],[s("proof.movements"),q(t.movements)],[s("proof.at"),A(t.at)]]} /></section>`}<//>
    ${!e.problem&&o`<div class="buttons"><button type="button" class="button" disabled=${e.loading} onClick=${e.reload}><${f} name="rotate-cw" />${s("proof.again")}</button></div>`}
  <//>`}function pa(){let{value:e,problem:t,reload:n}=ma(Ol),r=[["issued","issued"],["held","balances"],["consumed","consumed"]];return o`<section class="panel numbers"><h2>${s("home.credits")}</h2>
    ${t&&o`<${N} problem=${t} retry=${n} />`}
    <dl class="tiles">${r.map(([a,i])=>o`<div key=${i} class="tile" data-figure=${i}>
      <dt>${s("proof."+a)}</dt><dd class="figure" translate=${!1}>${e?E(e[i]):" "}</dd></div>`)}</dl>
    <p class="glance"><${_} class="button" to="/proof">${s("nav.proof")}<//>${e&&o`
      <${ze} good=${e.balanced} badge>${s(e.balanced?"proof.balanced":"proof.unbalanced")}<//>
      <span class="quiet">${s("list.stale",{time:Ot(e.at)})}</span>`}</p>
  </section>`}var Tl=24*36e5,as=7,ql=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),Ys=()=>!h().is_admin&&w("users:write");function ua(){let e=M.use().query.get("do"),t=Ae("picked");return e==="extend"&&t&&w("lines:spend")?o`<${Ds} action="extend" picked=${t} said=${[s("filter.says-soon",{n:7})]} up="/" />`:e==="alert"&&Ys()?o`<${Fl} />`:o`<${El} />`}function Fl(){let e=rs(h().id);return o`<${B} title=${s("nav.home")} up="/"><${G} of=${e}>${t=>o`<${Is} account=${h()} alerts=${t} />`}<//><//>`}function El(){let e=!!h().is_admin,t=w("lines:read"),n=w("events:read"),r=!n&&w("ledger:read"),[a]=g(W),i=ce=>new Date(a+ce*Tl).toISOString(),l=Zr(),c={isTrial:0,effective:"running",expires_after:i(0),expires_before:i(7)},m={isTrial:0,effective:"expired",expires_after:i(-14),sort:"latest_expiry"},d=Ue(t?"/lines":null,{...c,limit:as},as),p=Ue(t?"/lines":null,{...m,limit:as},as),u=Ue(n?"/events":r?`/users/${h().id}/ledger`:null,n?{limit:5,order:"desc",type:ql}:{limit:5},5),$=j(w("manage")?"/webhooks":null),b=oa(l.value),{takes:y}=b,[v,k]=g(null),T=V(!1);T.current||=[t&&d,t&&p,t&&l,(n||r)&&u,w("manage")&&$].every(ce=>!ce||ce.value||ce.problem)&&b.known&&(!Ys()||!b.reading);let L=l.value?.lines.expiring_7d||0,O=l.value?.lines.expired_14d||0,z=t&&L>0&&w("lines:spend"),ne=(ce,Le)=>o`<button type="button" class="button" data-queue onClick=${()=>k(ce)}><${f} name="message-circle" />${Le}</button>`;return o`<${B} title=${s(y?"start":"nav.home")} actions=${w("lines:write")&&!(y&&b.at===1)&&o`<${Bt} plain=${z||y} />`}>
    ${T.current?o`<${Al} of=${$.value?.data} /><div class="cols">
      ${y?o`<div class="stack"><${ra} of=${b} /></div>`:t&&o`<div class="stack">
        <${Zn} title=${L?s("home.soon-n",{n:L,count:q(L)}):s("home.soon")} icon="calendar-clock" of=${d} lines none=${s("home.soon-none")} all="/lines?when=soon&show=official" n=${L}
          actions=${L>0&&o`${z&&o`<button type="button" class="button primary" onClick=${()=>Z("extend",{picked:{filter:c}})}>${s("home.renew",{n:L,count:q(L)})}</button>`}
            ${ne(c,s("home.remind",{n:L,count:q(L)}))}`} />
        <${Zn} title=${O?s("home.past-n",{n:O,count:q(O)}):s("home.past")} icon="user-round-x" of=${p} lines none=${s("home.past-none")} all="/lines?when=past&show=official" n=${O}
          actions=${O>0&&ne(m,s("home.win-back"))} />
        <${Xr} of=${l} />
      </div>`}
      <div class="stack">
        ${e?o`${w("ledger:read")&&o`<${pa} />`}<${Dl} />`:o`<${Rl} lines=${l.value?.lines} />`}
        ${t&&!y&&o`<${ea} of=${l} />`}
        ${n?o`<${Zn} title=${s("home.activity")} of=${u} row=${os} none=${s("activity.none")} all="/activity" />`:r&&o`<${sa} of=${u} />`}
      </div>
    </div>`:o`<${Ft} />`}
    ${v&&o`<${qs} query=${v} onClose=${()=>k(null)} />`}
  <//>`}function Rl({lines:e}){let t=_e.use(),n=Fo.use(),r=rs(h().id),{prices:a}=et(),i=a?.find(p=>p.period==="1 month"),l=r.value?.balance_low,c=t&&(r.value||r.problem||!w("users:read"))?ys(t.credits,l,i?.credits):"",m=t&&i?U(t.credits)/U(i.credits):0n,d=l?s("alert.is",{amount:E(l)}):s(r.value?"alert.new":"alert");return o`<section class="panel own">
    <header><h2>${s("home.balance")}</h2>${Ys()&&o`<button type="button" class="button ghost only" aria-label=${d} title=${d} data-alert onClick=${()=>Z("alert")}><${f} name="bell" /></button>`}</header>
    <div class="balance-row"><${zo} of=${t} />${Ys()&&o`<${Pl} balance=${t?.credits} lines=${e} low=${!!c} />`}</div>
    ${!t&&n&&o`<${N} problem=${n} retry=${Qe} />`}
    <p class="stock">${c?o`<span data-low=${c}><${at} tone="warn" icon="circle-alert">${s("home.low",{amount:E(c)})}<//></span>`:i&&m>0n?o`<span class="quiet">${s("home.enough",{n:Number(m),count:q(m),period:Es(i.period)})}</span>`:" "}</p>
  </section>`}function Pl({balance:e="0",lines:t,low:n}){let{staff:r,username:a}=h(),i=Je().messages?.inherited||{},l=t?.expiring_7d||0,c=s(l?"ask.message-soon":"ask.message",{n:l,count:q(l),name:r?s("acts-for",{name:r.username,account:a}):a,balance:Y(e)});return o`<div class=${n?"ask urgent":"ask"}><a class="button" href=${Qr(i,c)} target="_blank" rel="noopener noreferrer"><${f} name="hand-coins" />${s("ask")}</a>
    ${!i.whatsapp&&!i.telegram&&o`<${Rt} text=${c} label=${s("ask.copy")} />`}</div>`}function Dl(){let{value:e,problem:t}=j("/service");return t?null:o`<section class="panel service"><h2>${s("home.service")}</h2>
    <${X} of=${[[s("home.version"),e?e.version:" "],[s("home.store"),e?e.store:" "],[s("home.started"),e?A(e.started_at):" "],[s("home.backup"),e?e.last_backup_at&&A(e.last_backup_at):" "]]} /></section>`}function Al({of:e=[]}){let t=e.filter(n=>!n.enabled&&n.disabled_reason!=="requested");return t.length>0&&o`<${ee} tone="unsure"><p><strong>${s("home.still",{n:t.length})}</strong></p>
    ${t.map(n=>o`<p key=${n.id}><${_} to=${"/webhooks/"+n.id}>${zt(n)}<//> ${xt(n)[0]}</p>`)}<//>`}function Zn({title:e,icon:t="",of:n,row:r,lines:a=!1,none:i,all:l,n:c=0,actions:m}){let d=n.value?.next_cursor||!a&&n.value?.data.length?"all":n.value?.data.length>3?"all thumb":"";return o`<section class=${a?"panel task":"panel"}><header><h2>${t&&o`<${f} name=${t} />`}${e}</h2>${m&&o`<div class="buttons">${m}</div>`}</header>
    <${G} of=${n}>${({data:p,next_cursor:u})=>o`
      ${p.length?a?o`<table class="table customers few"><tbody>${p.slice(0,as).map($=>Ns($))}</tbody></table>`:o`<ul class="rows">${p.slice(0,5).map($=>o`<li key=${$.id}>${r?.($)}</li>`)}</ul>`:o`<p class="quiet">${u?s("home.unsure"):i}</p>`}
      ${d&&o`<p class=${d}><${_} to=${l}>${c?s("home.all-n",{n:c,count:q(c)}):s("home.all")}<//></p>`}`}<//>
  </section>`}var Xn=50,$a=()=>o`<${B} title=${s("nav.jobs")}>
  <${Ge} path="/bulk" label=${s("nav.jobs")} empty=${s("job.none")} row=${e=>o`<${_} class="row job-row" to=${"/jobs/"+e.id} data-row>
    <span class="name">${wt(e)}</span><span class="quiet">${Xt(e)}</span><span class="quiet">${A(e.created_at)}</span><//>`} />
<//>`;function fa({id:e}){let t=j(`/bulk/${e}`),n=Se.use(),r=n?.id===Number(e)?n:t.value;return S(()=>{t.value?.status==="running"&&At(t.value)},[t.value]),o`<${B} title=${r?wt(r):s("nav.jobs")} up="/lines">
    <${G} of=${r?{value:r}:t}>${a=>o`<${Ll} job=${a} />
      <p><${_} to="/jobs">${s("job.all")}<//></p>`}<//>
  <//>`}function Ll({job:e}){let t=e.status==="running",n=vt[e.action]||"lines:write";return o`<section class="panel" data-job=${e.status}>
    ${t&&o`<progress role="progressbar" max=${e.matched} value=${e.done} aria-valuenow=${e.done} aria-valuemin="0" aria-valuemax=${e.matched}
      aria-label=${wt(e)} aria-valuetext=${Cs(e)}></progress>`}
    <p class="glance" role=${t?void 0:"status"}>${Xt(e)}</p>
    ${t&&w(n)&&o`<${Il} job=${e} />`}
    ${!t&&!e.dry_run&&o`<${X} of=${[[s("job.charged"),e.charged!=="0"&&o`<${$e} of=${e.charged} />`],[s("job.left"),e.status==="stopped"&&Fe(e.matched-e.done)],[s("job.began"),A(e.created_at)],[s("job.ended"),e.finished_at&&A(e.finished_at)]].filter(([,r])=>r)} />`}
  </section>
  ${!t&&!e.dry_run&&e.done>0&&o`<${Ml} job=${e} />`}`}function Il({job:e}){let t=R({name:"stop "+e.id,method:"DELETE",path:"/bulk/"+e.id,title:s("job.stop"),fields:{}});return D(t,()=>Se.set(t.answer)),o`<${H} form=${t} danger submit=${s("job.stop")} onSubmit=${()=>t.send()} />`}function Ml({job:{id:e,refused:t}}){let[n,r]=g(null),[a,i]=g(null),l=()=>{let c=new AbortController,m={},d=t;return i(null),_o(`/bulk/${e}/results`,({line:p,code:u,line_username:$})=>{if(!u)return!0;let b=m[u]||={n:0,lines:[]};return b.n++<Xn&&b.lines.push({line:p,name:$||s("job.line",{id:p})}),--d>0},c.signal).then(()=>r(m),p=>{c.signal.aborted||i(p)}),()=>c.abort()};return S(()=>t?l():void 0,[]),o`${t>0&&o`<section class="panel" aria-busy=${!n&&!a}><h2>${s("job.refused",{n:t,count:q(t)})}</h2>
    ${a&&o`<${N} problem=${a} retry=${l} />`}
    ${n&&Object.entries(n).map(([c,{n:m,lines:d}])=>o`<div key=${c} data-why=${c}>
      <p>${Fe(m)}: ${_s(c)}</p>
      <ul class="names">${d.map(({line:p,name:u})=>o`<li key=${p} class="name" translate=${!1}>${c==="not-found"?u:o`<${_} to=${"/lines/"+p}>${u}<//>`}</li>`)}${m>Xn&&o`<li class="quiet">${s("job.more",{n:m-Xn})}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${me}/bulk/${e}/results`} download=${`job-${e}.ndjson`}><${f} name="download" />${s("job.save")}</a></div>`}function Zs({path:e,title:t,meaning:n,add:r,most:a,full:i,empty:l,row:c}){let m=j(e);return o`<${B} title=${t}>
    <p>${n}</p>
    <${G} of=${m}>${({data:d})=>o`
      <div class="buttons">${d.length<a?o`<button type="button" class="button primary" onClick=${()=>Z("create")}><${f} name="plus" />${r}</button>`:o`<p class="quiet">${i}</p>`}</div>
      ${d.length?o`<div><ul class="rows" aria-label=${t}>${d.map(p=>o`<li key=${p.id}>${c(p)}</li>`)}</ul></div>`:o`<p class="empty">${l}</p>`}`}<//>
  <//>`}var Re=ie(null);function Xs({of:e,title:t,meaning:n,copy:r}){let a=Re.use();return a?.of!==e?null:o`<section class="panel">
    <h2>${t}</h2>
    <p><code translate=${!1} data-secret>${a.secret}</code></p>
    <p>${n}</p>
    <div class="buttons"><${ft} text=${a.secret} label=${r} /></div>
  </section>`}var Ut=()=>S(()=>()=>Re.set(null),[]);function pt({meaning:e,submit:t,danger:n=!1,body:r,fields:a,then:i,children:l,...c}){let m=R({...c,fields:a||{}});return D(m,()=>i(m.answer)),o`<section class="panel"><h2>${c.title}</h2>
    <${H} form=${m} danger=${n} submit=${t} onSubmit=${()=>m.send(a?m.fields:r)} onClose=${()=>C()}>
      <p>${e}</p>${l?.(m)}<//>
  </section>`}var en=({form:e,name:t})=>o`<${F} form=${e} name="reason" label=${s("reason")} hint=${s("reason.hint",{name:t})} kind="textarea" rows="2" maxlength="500" />`;var ga=["read_only","support","cashier","manager"],ha=["lines:read","lines:passwords","lines:write","lines:spend","lines:delete","users:read","users:write","credits:move","ledger:read","events:read","entitlements:read","prices:write","manage"],ba=(e,t)=>ue(`${e}.${t}`)?s(`${e}.${t}`):t,tn=e=>e.role?ba("rights",e.role):e.scopes.map(t=>ba("scope",t)).join("; "),eo=e=>ue(`rights.${e}-means`)?s(`rights.${e}-means`):"",to=({spend_limit:e,spent:t})=>e?s("limit.spent",{spent:E(t),limit:Y(e.credits)}):s("limit.none"),so=({last_used_at:e,last_used_address:t})=>e?s("key.used",{at:A(e),address:t||""}):s("key.unused");function no({one:{expires_at:e}}){let t=!e||new Date(e).getTime()>W();return o`<${ze} good=${t}>${s("line.state."+(t?"active":"expired"))}<//>`}var sn=e=>new Date(new Date(e).getTime()-new Date(e).getTimezoneOffset()*6e4).toISOString().slice(0,10),oo=(e,t)=>({...e==="key"?{name:t?.name||"",expires_at:t?.expires_at?sn(t.expires_at):"",allowed_addresses:t?.allowed_addresses.join(`
`)||""}:{username:t?.username||"",...t?{}:{password:""}},role:t?t.role||"":ga[0],scopes:t?.scopes||[],credits:t?.spend_limit?E(t.spend_limit.credits):""});function ro({role:e,scopes:t,credits:n,expires_at:r,allowed_addresses:a,...i},l){let{amount:c}=ye(n);return{...i,...e?{role:e}:{scopes:t},spend_limit:c?{credits:c,per:"day"}:null,...a===void 0?{}:{allowed_addresses:Ve(a).split(/[\s,;]+/).filter(Boolean),expires_at:r?l?.expires_at&&sn(l.expires_at)===r?l.expires_at:new Date(r+"T23:59:59").toISOString():null}}}var ao=({role:e,scopes:t})=>!!e||t.length>0;function io({form:e,kind:t,...n}){let{fields:r}=e,a=(i,l)=>e.set({scopes:ha.filter(c=>c===i?l:r.scopes.includes(c))});return o`
    ${t==="key"?o`<${F} form=${e} name="name" label=${s("key.name")} hint=${s("key.name-hint")} maxlength="64" required />`:o`<${F} form=${e} name="username" label=${s("username")} hint=${s("staff.username-hint")} maxlength="64" required />
        ${"password"in r&&o`<${F} form=${e} name="password" label=${s("password")} hint=${s("password.generated")} minlength="6" maxlength="128" required />`}`}
    <${We} form=${e} name="role" label=${s("rights")} of=${[...ga,""].map(i=>[i,s("rights."+(i||"own")),eo(i||"own")])} />
    ${!r.role&&o`<fieldset class="choice few" disabled=${e.frozen} aria-label=${s("rights.own")}>
      ${!r.scopes.length&&o`<p class="quiet">${s("webhook.choose")}</p>`}
      ${ha.filter(w).map(i=>o`<label key=${i}>
        <input type="checkbox" value=${i} checked=${r.scopes.includes(i)} onChange=${l=>a(i,l.target.checked)} />
        <span>${s("scope."+i)}</span></label>`)}
    </fieldset>`}
    <${it} form=${e} typed=${ye(r.credits)} label=${s("limit")} hint=${s("limit.hint")} required=${!1} />
    ${t==="key"&&o`
      <${F} form=${e} name="expires_at" label=${s("key.expires")} hint=${s("key.expires-hint")} type="date" max="9999-12-31" ...${n} />
      <${F} form=${e} name="allowed_addresses" label=${s("key.addresses")} hint=${s("key.addresses-hint")} kind="textarea" rows="2" maxlength="2500" />`}`}var jl="abcdefghijkmnpqrstuvwxyz23456789",nn=()=>[...crypto.getRandomValues(new Uint8Array(12))].map(e=>jl[e&31]).join("").replace(/.{4}(?=.)/g,"$&-");function on({of:e,name:t,number:n=""}){let r=Re.use();if(r?.of!==e)return null;let a=s("access.message",{address:location.origin+rt("/"),name:t,password:r.secret});return o`<section class="panel"><h2>${s("access.send")}</h2>
    <p>${s("access.once")}</p>
    <p class="bubble text" translate=${!1} data-access>${a}</p>
    <div class="buttons"><a class="button send" href=${qe(n,a)} target="_blank" rel="noopener noreferrer"><${f} name="message-circle" />${n?s("line.whatsapp-to",{number:Dt(n)}):s("line.whatsapp")}</a>
      <${ft} text=${a} label=${s("line.copy")} /></div>
  </section>`}var rn=({form:e})=>o`<input hidden autocomplete="username" value=${Ct()} />
  <${F} form=${e} name="password" label=${s("password.present")} type="password" autocomplete="current-password" maxlength="128" required />`;function wa(){let e=R({name:"own password",method:"PATCH",path:"/auth/password",title:s("password.change"),secret:["password","new_password"],fields:{password:"",new_password:""}});return D(e,()=>C(P(s("password.own-changed")))),o`<section class="panel"><h2>${s("password.change")}</h2>
    <${H} form=${e} submit=${s("password.change")} onSubmit=${()=>e.send(e.fields)} onClose=${()=>C()}>
      <p>${s(h().staff?"password.staff-meaning":"password.own-meaning")}</p>
      <${rn} form=${e} />
      <${F} form=${e} name="new_password" label=${s("password.new")} hint=${s("password.hint")} type="password" autocomplete="new-password" minlength="6" maxlength="128" required />
    <//>
  </section>`}function ya({account:e}){let[t,n]=g(null),[r,a]=g(!1),i=R({name:"own name",method:"PATCH",path:"/users/"+e.id,title:s("name.change"),secret:["password"],fields:{username:e.username,password:"",whatsapp:e.whatsapp||""}}),{fields:l,answer:c}=i,m=async()=>{if(!r){a(!0),n(null);try{await J("PATCH","/auth/password",{body:JSON.stringify({password:l.password,new_password:l.password})}),i.send({...l,country:e.country})}catch(p){n(p)}a(!1)}},d=["invalid-credentials","validation-failed"].includes(t?.code);return D(i,()=>{qo(c.username),C(P(s("name.changed",{name:c.username})))}),o`<section class="panel"><h2>${s("name.change")}</h2>
    <${H} form=${i} submit=${s("name.change")} onSubmit=${m} onClose=${()=>C()}>
      <${F} form=${i} name="username" label=${s("username")} maxlength="64" required />
      <${F} form=${i} name="password" label=${s("password.present")} wrong=${d&&s("problem.wrong-password")} type="password" autocomplete="current-password" maxlength="128" required />
      ${!e.whatsapp&&o`<${F} form=${i} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" required />`}
      ${t&&!d&&o`<${N} problem=${t} />`}
    <//>
  </section>`}function an({title:e,more:t=()=>null}){let n=V(null);return S(()=>{let r=()=>{n.current&&So(o`<strong>${e}</strong><p>${[Qt,location.host,s("print.at",{at:A(new Date(W()))})].filter(Boolean).join(" · ")}</p>${t()}`,n.current)};return addEventListener("beforeprint",r),()=>removeEventListener("beforeprint",r)}),o`<div class="printed" ref=${n}></div>`}var va=({on:e})=>o`<section class="panel">
  <h2>${s("factor")}</h2>
  <p><${at} tone=${e?"good":"plain"} icon=${e?"circle-check":"circle-slash-2"} badge>${s(e?"webhook.on":"webhook.off")}<//></p>
  <p>${s("factor.meaning")}</p>
  <div class="buttons"><button type="button" class="button" onClick=${()=>Z(e?"no-totp":"totp")}>${s(e?"factor.remove":"factor.new")}</button></div>
</section>`,ka="confirm second factor";function xa({of:e}){let[t,n]=g(null),[r,a]=g([]);return o`<section class="panel"><h2>${s("factor.new")}</h2>
    ${r.length?o`<${Ul} codes=${r} />`:t||ar(ka)?o`<${Bl} of=${t} show=${a} />`:o`<${G} of=${e}>${({totp:i})=>i?o`<p>${s("problem.totp-active")}</p><div class="buttons"><button type="button" class="button" onClick=${()=>C()}>${s("close")}</button></div>`:o`<${Nl} begin=${n} />`}<//>`}
  </section>`}function Nl({begin:e}){let t=R({name:"begin second factor",method:"POST",path:"/auth/totp",title:s("factor.new"),secret:["password"],fields:{password:""}});return D(t,()=>e(t.answer)),o`<${H} form=${t} submit=${s("factor.next")} onSubmit=${()=>t.send(t.fields)} onClose=${()=>C()}>
    <p>${s("factor.apps")}</p>
    <${rn} form=${t} />
  <//>`}function Bl({of:e,show:t}){let n=R({name:ka,method:"POST",path:"/auth/totp/confirm",title:s("factor.new"),place:"/sessions?do=totp",secret:["code"],fields:{code:""}});return D(n,()=>t(n.answer.recovery_codes)),o`<${H} form=${n} submit=${s("factor.confirm")} onSubmit=${()=>n.send({code:gn(n.fields.code)})} onClose=${()=>C()}>
    ${e&&o`<p>${s("factor.scan")}</p>
      <div class="code"><${zl} svg=${e.qr_svg} />
        <div><p>${s("factor.type")}</p><p><code translate=${!1} data-secret>${e.secret.match(/.{1,4}/g)?.join(" ")}</code></p>
          <div class="buttons"><${ft} text=${e.secret} label=${s("webhook.secret-copy")} /><a class="button" href=${e.otpauth_url}>${s("factor.open")}</a></div></div></div>`}
    <${wn} form=${n} name="code" />
  <//>`}function zl({svg:e}){let[,t,n]=/^<svg [^>]*viewBox="0 0 (\d+) \d+".* d="([MhvHz\d -]+)"\/><\/svg>$/.exec(e)||[];return t?o`<svg class="qr" viewBox="0 0 ${t} ${t}" role="img" aria-label=${s("factor.qr")}><path d=${n} /></svg>`:null}function Ul({codes:e}){return S(()=>document.querySelector("h2")?.focus(),[]),o`
    <${ee} tone="good"><p>${s("factor.on")}</p><//>
    <p>${s("factor.codes")}</p>
    <${an} title=${s("print.codes",{name:Ct()})} />
    <ul class="codes">${e.map(t=>o`<li key=${t}><code translate=${!1}>${t}</code></li>`)}</ul>
    <div class="buttons">
      <${ft} text=${e.join(`
`)} label=${s("factor.codes-copy")} />
      <button type="button" class="button" onClick=${()=>print()}>${s("print")}</button>
      <button type="button" class="button primary" onClick=${()=>C(P(s("factor.on")))}>${s("factor.kept")}</button>
    </div>`}var Hl=new Pe("wrong-proof");function Sa(){let e=R({name:"remove second factor",method:"DELETE",path:"/auth/totp",title:s("factor.remove"),secret:["password","totp"],fields:{password:"",totp:""}}),{fields:t,problem:n}=e;D(e,()=>C(P(s("factor.removed"))));let r={...e,problem:n?.code==="invalid-credentials"?Hl:n};return o`<section class="panel"><h2>${s("factor.remove")}</h2>
    <${H} form=${r} danger submit=${s("factor.remove")} onSubmit=${()=>e.send({password:t.password,totp:gn(t.totp)})} onClose=${()=>C()}>
      <p>${s("factor.remove-meaning")}</p>
      <${rn} form=${r} />
      <${wn} form=${r} name="totp" recovery />
    <//>
  </section>`}function Ca(){let{query:e}=M.use(),t=e.get("do")||"",n=He("/auth/session"),r={password:wa,name:!h().staff&&Wl,totp:xa,"no-totp":Sa},a=Object.hasOwn(r,t)&&r[t];return a?o`<${B} title=${s("nav.sessions")}><${a} of=${n} /><//>`:o`<${B} title=${s("nav.sessions")}>
    <div class="buttons"><button type="button" class="button" onClick=${()=>Z("password")}>${s("password.change")}</button>
      ${!h().staff&&o`<button type="button" class="button" onClick=${()=>Z("name")}>${s("name.change")}</button>`}</div>
    <${G} of=${n}>${i=>o`<${va} on=${i.totp} /><${Gl} />`}<//>
  <//>`}function Wl(){let e=j("/users/logged");return o`<${G} of=${e}>${t=>o`<${ya} account=${t} />`}<//>`}function Gl(){let e=j("/auth/sessions");return o`<h2>${s("sessions")}</h2><p>${s(h().staff?"sessions.own-meaning":"sessions.meaning")}</p><${lo} of=${e} />`}function lo({of:e,name:t}){return o`<${G} of=${e}>${n=>{let r=n.filter(a=>!t||a.staff===t);return r.length?o`<ul class="rows">${r.map(a=>o`<li key=${a.id}><${Kl} session=${a} ended=${e.reload} /></li>`)}</ul>`:o`<p class="quiet">${s("sessions.none")}</p>`}}<//>`}function Kl({session:e,ended:t}){let[n,r]=g(null),[a,i]=g(!1),l=async()=>{i(!0),r(null);try{await J("DELETE","/auth/sessions/"+e.id),t()}catch(c){c.status===404?t():r(c),i(!1)}};return o`<div class="row session">
    <span class="name">${Jl(e.device)}${e.staff&&e.staff!==h().staff?.username&&o` · ${e.staff}`}${e.current&&o` <${ze} good badge>${s("sessions.this")}<//>`}</span>
    <span class="quiet">${s("sessions.used",{at:A(e.last_used_at),address:e.address})}</span>
    <span class="quiet">${s("sessions.since",{at:A(e.created_at)})}</span>
    ${!e.current&&o`<button type="button" class="button" disabled=${a} onClick=${l}>${s("sessions.end")}</button>`}
    ${n&&o`<${N} problem=${n} retry=${l} />`}
  </div>`}function Jl(e){let t=[[/Edg(e|A|iOS)?\//,"Edge"],[/OPR\//,"Opera"],[/SamsungBrowser\//,"Samsung Internet"],[/Firefox\/|FxiOS\//,"Firefox"],[/Chrom(e|ium)\/|CriOS\//,"Chrome"],[/Safari\//,"Safari"]].find(([r])=>r.test(e))?.[1],n=[[/Android/,"Android"],[/iPhone|iPad/,"iOS"],[/Windows/,"Windows"],[/Mac OS X/,"macOS"],[/CrOS/,"ChromeOS"],[/Linux/,"Linux"]].find(([r])=>r.test(e))?.[1];return[t,n].filter(Boolean).join(" · ")||e||s("sessions.unknown")}var Ql=100,Ce={key:"/keys",staff:"/staff"},Ht=e=>e.name||e.username,_a=()=>o`<${Fa} kind="key" />`,Oa=()=>o`<${Fa} kind="staff" />`,Ta=({id:e})=>o`<${Ea} kind="key" id=${e} />`,qa=({id:e})=>o`<${Ea} kind="staff" id=${e} />`;function Fa({kind:e}){let{query:t}=M.use();return t.get("do")==="create"?o`<${Yl} kind=${e} />`:o`<${Zs} path=${Ce[e]} title=${s("nav."+Ce[e].slice(1))} meaning=${s(e+".meaning")} add=${s(e+".new")} most=${Ql}
    full=${s("problem.too-many-principals")} empty=${s(e+".none")} row=${n=>o`<${Vl} kind=${e} one=${n} />`} />`}var Vl=({kind:e,one:t})=>o`<${_} class="row principal" to=${`${Ce[e]}/${t.id}`} data-row>
  <span class="name" translate=${!1}>${Ht(t)}</span>
  <span>${e==="key"&&o`<${no} one=${t} />`}</span>
  <span>${tn(t)}</span>
  <span class="quiet">${t.expires_at&&o`${s("event.until",{until:A(t.expires_at)})} · `}${to(t)} · ${so(t)}</span>
<//>`;function Yl({kind:e}){let t=R({name:e,method:"POST",path:Ce[e],title:s(e+".new"),place:Ce[e]+"?do=create",secret:["password"],fields:{...oo(e),...e==="staff"&&{password:nn()}}}),{fields:n,answer:r}=t;return D(t,()=>{Re.set({of:`${e} ${r.id}`,secret:r.key||n.password}),be(`${Ce[e]}/${r.id}`,{replace:!0,state:P(s(e+".created",{name:Ht(r)}))})}),o`<${B} title=${s(e+".new")} up=${Ce[e]}><section class="panel">
    <${H} form=${t} submit=${s("reseller.create")} ready=${ao(n)} unclear=${!!ye(n.credits).wrong} onSubmit=${()=>t.send(ro(n))} onClose=${()=>C()}>
      <${io} form=${t} kind=${e} min=${sn(W())} />
    <//>
  </section><//>`}function Ea({kind:e,id:t}){let{query:n}=M.use(),r=He(`${Ce[e]}/${t}`);return Ut(),o`<${B} title=${r.value?Ht(r.value):s("nav."+Ce[e].slice(1))} named=${r.value} up=${Ce[e]}>
    <${G} of=${r}>${a=>o`<${Zl} kind=${e} one=${a} doing=${n.get("do")||""} changed=${r.set} />`}<//>
  <//>`}function Zl({kind:e,one:t,doing:n,changed:r}){let a={edit:ec,remove:nc,...e==="staff"?{password:tc,totp:sc}:{}},i=Object.hasOwn(a,n)&&a[n];if(i)return o`<${i} key=${n} kind=${e} one=${t} changed=${r} />`;let l=(c,m,d="")=>o`<button type="button" class=${"button "+d} onClick=${()=>Z(c)}>${s(m)}</button>`;return o`
    ${e==="staff"?o`<${on} of=${"staff "+t.id} name=${t.username} />`:o`<${Xs} of=${"key "+t.id} title=${s("key.secret")} meaning=${s("key.secret-once")} copy=${s("key.secret-copy")} /><p class="glance"><${no} one=${t} /></p>`}
    <div class="buttons">
      ${l("edit","line.edit")}
      ${e==="staff"&&o`${l("password","password.new")}${l("totp","reseller.totp")}`}
      ${l("remove",e+".remove","danger-plain")}
    </div>
    <section class="panel">
      <h2>${s("line.record")}</h2>
      <${X} of=${[[s("rights"),t.role?o`<strong>${tn(t)}</strong>. ${eo(t.role)}`:tn(t)],[s("limit"),to(t)],[s("key.expires"),e==="key"?t.expires_at?o`<${No} at=${t.expires_at} />`:s("key.never"):null],[s("key.addresses"),e==="key"?t.allowed_addresses.join(", ")||s("key.anywhere"):null],[s("key.last"),so(t)],[s("line.id"),t.id],[s("created"),A(t.created_at)]]} />
    </section>
    ${e==="staff"&&!h().staff&&o`<${Xl} name=${t.username} />`}`}function Xl({name:e}){let t=j("/auth/sessions");return o`<section class="panel"><h2>${s("sessions")}</h2><${lo} of=${t} name=${e} /></section>`}var ln=(e,t)=>`${s(e)}: ${Ht(t)}`;function ec({kind:e,one:t,changed:n}){let r=ln("line.edit",t),a=R({name:`edit ${e} ${t.id}`,method:"PATCH",path:`${Ce[e]}/${t.id}`,title:r,fields:oo(e,t)}),{fields:i,answer:l}=a;return D(a,()=>{C(P(s("reseller.contact-done",{name:Ht(l)}))),n(l)}),o`<section class="panel"><h2>${r}</h2>
    <${H} form=${a} submit=${s("save")} ready=${ao(i)} unclear=${!!ye(i.credits).wrong} onSubmit=${()=>a.send(ro(i,t))} onClose=${()=>C()}>
      <${io} form=${a} kind=${e} />
    <//>
  </section>`}function tc({one:e}){let t=ln("password.new",e),n=R({name:"password of staff "+e.id,method:"PATCH",path:"/staff/"+e.id,title:t,secret:["password"],fields:{password:""}});return D(n,()=>C(P(s("staff.password-done",{name:e.username})))),o`<section class="panel"><h2>${t}</h2>
    <${H} form=${n} submit=${s("save")} onSubmit=${()=>n.send(n.fields)} onClose=${()=>C()}>
      <p>${s("staff.password-meaning")}</p>
      <${F} form=${n} name="password" label=${s("password.new")} hint=${s("reseller.password-hint")} minlength="6" maxlength="128" required />
    <//>
  </section>`}var sc=({one:e})=>o`<${pt} name=${"totp of staff "+e.id} method="DELETE" path=${`/staff/${e.id}/totp`} title=${ln("reseller.totp",e)}
  meaning=${s("reseller.totp-meaning")} submit=${s("reseller.totp")} danger then=${()=>C(P(s("reseller.totp-done",{name:e.username})))} />`,nc=({kind:e,one:t})=>o`<${pt} name=${`remove ${e} ${t.id}`} method="DELETE" path=${`${Ce[e]}/${t.id}`} title=${ln(e+".remove",t)}
  meaning=${s(e+".remove-meaning")} submit=${s(e+".remove")} danger then=${()=>qt(Ce[e],P(s(e+".removed",{name:Ht(t)})))} />`;function Ra({text:e,onClose:t}){let[n,r]=g({side:1,path:""}),a=()=>{import("./qr.js").then(({drawing:i})=>r(i(e)),()=>r(new Pe("no-answer")))};return S(a,[]),o`<${he} look="dialog" title=${s("line.qr")} onClose=${t}>
    ${n instanceof Pe?o`<${N} problem=${n} retry=${a} />`:n?o`<svg class="qr" viewBox="0 0 ${n.side} ${n.side}" role="img" aria-label=${s("line.qr")}><path d=${n.path} /></svg><p class="quiet">${s("line.qr-meaning")}</p>`:o`<p>${s("line.qr-long")}</p>`}
  <//>`}function Da({id:e}){let{query:t}=M.use(),n=He(`/lines/${e}`,!0),r=n.value,{reading:a}=Je(),{prices:i,problem:l}=et(r?.owner),c=!a&&(i||l||!w("lines:spend")),m=V(()=>{});return o`<${B} title=${r?.username||s("line.title")} named=${r} up="/lines" below=${r&&o`<${oc} line=${r} />`}
    actions=${r&&c&&o`<${rc} line=${r} stop=${()=>m.current()} />`}>
    <${G} of=${r&&!c?{loading:!0}:n}>${d=>o`<${hc} key=${d.updatedAt} line=${d} changed=${n.set} act=${m} />
      <${ic} line=${d} doing=${t.get("do")||""} changed=${n.set} />`}<//>
  <//>`}function oc({line:e}){let{expDate:t}=e,n=!nt(t);return o`<p class="glance"><${Et} line=${e} badge /> <span>${s(Date.parse(t)>W()?"line.ends":"line.ended")}${" "}
    <time datetime=${t} title=${A(t)}><b>${n?Tt(t):`${xe(t)}, ${Ot(t)}`}</b>${!n&&o` <span class="quiet">${ps(t)}</span>`}</time></span></p>`}function rc({line:e,stop:t}){let{username:n,suspended:r}=e,a=w("lines:write"),i=s("line.edit");return o`${w("lines:spend")&&o`<${ac} line=${e} />`}
    ${a&&o`<button type="button" class="button" aria-label=${i} onClick=${()=>Z("edit")}><${f} name="pencil" /><span class="wide-only">${i}</span></button>`}
    ${(a||w("lines:delete"))&&o`<${fe} label=${s("more-about",{name:n})} look="button only">
      ${a&&o`<button type="button" onClick=${t}><${f} name=${r?"play":"circle-pause"} />${s(r?"line.resume":"line.suspend")}</button>`}
      ${w("lines:delete")&&o`<hr /><button type="button" class="bad" onClick=${()=>Z("delete")}><${f} name="trash-2" />${s("line.delete")}…</button>`}<//>`}`}function ac({line:e}){let{likely:t}=Nt(e),n=e.isTrial?"activate":"extend";return o`<button type="button" class="button primary" aria-haspopup="dialog" data-pay translate=${!t} onClick=${()=>Z(n)}>
    ${t?s(e.isTrial?"line.activate-for":"line.renew-for",{cost:Y(t.credits)}):s("line."+n)}</button>`}function ic({line:e,doing:t,changed:n}){let r=Nn(e),a=!e.isTrial,i=w("lines:spend"),l=w("lines:write"),c={activate:!a&&i&&Pa,extend:a&&i&&Pa,edit:l&&fc,suspend:l&&bc,resume:l&&gc,delete:w("lines:delete")&&wc},m=Object.hasOwn(c,t)&&c[t];return o`
    ${/suspended|blocked/.test(e.effective||"")&&o`<${ee}><p>${s(`line.${e.effective}-means`)}</p><${Aa} line=${e} />
      ${l&&e.suspended&&o`<button type="button" class="button" onClick=${()=>Z("suspend")}><${f} name="pencil" />${s("reason")}</button>`}<//>`}
    <div class="cols person">
      <${cc} line=${e} />
      <div class="stack"><${mc} line=${e} payer=${r} /></div>
      <${lc} line=${e} />
    </div>
    ${m&&o`<${m} key=${t} line=${e} payer=${r} changed=${n} />`}`}function lc({line:{id:e,updatedAt:t}}){let n=As({line:e}),r=V(t);return S(()=>{r.current!==t&&n.reload(),r.current=t},[t]),o`<${Ls} of=${{line:e}} latest=${n} />`}function cc({line:e}){let[t,n]=g(""),[r,a]=g(!1),i=t||_r(e,W()),l=Lt(i,e),c=Te(e.whatsapp,e.country),m=Ms(e.telegram),d=m?s("line.telegram-to",{name:"@"+m}):s("line.telegram"),p={target:"_blank",rel:"noopener noreferrer"};return o`<section class="panel sending">
    <h2>${s("line.access")}</h2>
    <fieldset class="choice few short"><legend class="hush">${s("line.message")}</legend>
      ${yt.map(u=>o`<label key=${u}><input type="radio" name="message" value=${u} checked=${u===i} onChange=${()=>n(u)} /><span>${s("messages."+u)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${i}>${l}</p>
    <div class="buttons">
      <a class="button send" href=${qe(c,l)} ...${p}><${f} name="message-circle" />${c?o`<span><span class="wide-only">${s("line.send-by")} </span>WhatsApp ${Dt(c)}</span>`:s("line.whatsapp")}</a>
      <${Rt} text=${l} label=${s("line.copy")} look="button only" />
      <a class="button only" href=${js(m,l)} ...${p} aria-label=${d} title=${d}><${f} name="send" /></a>
      <button type="button" class="button only" aria-label=${s("line.qr")} title=${s("line.qr")} aria-haspopup="dialog" onClick=${()=>a(!0)}><${f} name="qr-code" /></button>
    </div>
    ${e.whatsapp&&!c&&o`<p class="quiet">${s("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
    ${r&&o`<${Ra} text=${l} onClose=${()=>a(!1)} />`}
  </section>`}function mc({line:e,payer:t}){let n=e.owner===h().id?null:t?.username||s("reseller.by-id",{id:e.owner});return o`<section class="panel">
      <h2>${s("line.title")}</h2>
      <${X} of=${[[s("username"),o`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Rt} text=${e.username} label=${s("line.copy-name")} /></span>`],[s("password"),o`<${pc} of=${e.password} />`],[s("whatsapp"),e.whatsapp],[s("telegram"),e.telegram],[s("email"),e.email],[s("country"),$s(e.country)],[s("plan"),e.plan&&o`<${dc} line=${e} />`],[s("line.since"),ms(e.createdAt)],[s("line.owner"),n&&(Q.seeResellers()?o`<${_} to=${"/resellers/"+e.owner}>${n}<//>`:n)],[s("notes"),e.notes&&o`<span class="text">${e.notes}</span>`],[s("line.external-id"),e.external_id]]} />
      <details><summary>${s("line.more")}</summary>
        <${X} of=${[[s("line.platform"),e.idPlatform],[s("line.id"),e.id],[s("changed"),A(e.updatedAt)]]} /></details>
    </section>
    ${e.metadata&&o`<section class="panel members">
      <h2>${s("line.metadata")}</h2>
      <${X} of=${Object.entries(e.metadata).map(([r,a])=>[o`<span class="name" translate=${!1}>${r.split(/(?<=_)/).map(i=>o`${i}<wbr />`)}</span>`,o`<span class="text" translate=${!1}>${a||"—"}</span>`])} />
    </section>`}`}function dc({line:{owner:e,plan:t,connections:n}}){let r=et(e).prices?.find(a=>a.plan===t);return o`<span>${[r?It(r):"#"+t,Mn(n)].filter(Boolean).join(", ")}</span>`}function pc({of:e}){let[t,n]=g(!1),r=s("password.show");return e===null?o`<span class="quiet">${s("line.password-hidden")}</span>`:o`<span class="copied"><code translate=${!1} data-password>${t?e:"••••••"}</code>
    <button type="button" class="button ghost only" aria-label=${r} title=${r} aria-pressed=${t} onClick=${()=>n(!t)}><${f} name="eye" /></button>
    <${Rt} text=${e} label=${s("line.copy-password")} /></span>`}function Pa({line:e,payer:t,changed:n}){let r=()=>C();return o`<${Un} line=${e} onClose=${r}>
    <${e.isTrial?zn:Bn} line=${e} payer=${t} onClose=${r} then=${(a,i)=>{n(a),C(P(s(e.isTrial?"line.activated":"line.extended",{name:a.username,until:A(a.expDate)}),{payer:e.owner,key:i}))}} />
  <//>`}var uc=e=>Object.entries(e||{}).map(([t,n])=>`${t}: ${n.replaceAll(`
`,`
  `)}`).join(`
`);function $c(e){let t=new Map,n="",r="";for(let a of e.split(`
`))if(t.size&&a.startsWith("  "))t.set(n,t.get(n)+`
`+a.slice(2));else if(a.trim()){let[,i="",l=""]=a.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!i||t.has(i))&&(r||=s("line.metadata.row",{row:a})),t.set(n=i,l)}return{metadata:t.size?Object.fromEntries(t):null,wrong:r}}function fc({line:e,changed:t}){let[n]=g(e),r=s("line.edit-title",{name:e.username}),a={username:n.username,password:n.password||"",country:n.country,whatsapp:n.whatsapp||"",telegram:n.telegram||"",email:n.email||"",notes:n.notes||"",external_id:n.external_id||"",metadata:uc(n.metadata||null)},i=R({name:"edit "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:r,fields:a}),{answer:l,fields:c}=i,{metadata:m,wrong:d}=$c(c.metadata),[p,u]=g(i.restored);D(i,()=>{t(l),C(P(s("line.edited",{name:l.username})))});let $=()=>{let b=k=>({...Mt(k),username:ke(k.username),password:k.password,external_id:k.external_id.trim()||null}),y=b(a),v=Object.fromEntries(Object.entries(b(c)).filter(([k,T])=>T!==y[k]));if(c.metadata!==a.metadata&&(v.metadata=m),Object.keys(v).length)return i.send(v);i.cancel(),C()};return o`<${he} title=${r} onClose=${()=>C()}>
    <${H} form=${i} submit=${s("save")} unclear=${!!d} onClose=${()=>C()} onSubmit=${$}>
      ${!n.isTrial&&o`<fieldset class="group"><legend>${s("messages.access")}</legend><${Rs} form=${i} required=${n.password!==null} /></fieldset>`}
      <fieldset class="group"><legend>${s("line.contact")}</legend><${ct} form=${i} /></fieldset>
      <${hs} title=${s("line.more")} form=${i} names=${["external_id","metadata"]} open=${!!d}>
        <${F} form=${i} name="external_id" label=${s("line.external-id")} hint=${s("line.external-id.hint")} maxlength="64" />
        <${F} form=${i} name="metadata" label=${s("line.metadata")} hint=${s("line.metadata.hint")} wrong=${p&&d} kind="textarea"
          rows=${Math.min(c.metadata.split(`
`).length+3,21)} onBlur=${()=>u(!0)} />
      <//>
    <//>
  <//>`}var Aa=({line:{suspension_reason:e}})=>e&&o`<${X} of=${[[s("reason"),o`<span class="text">${e}</span>`]]} />`,cn=({id:e,username:t},n,r="")=>({name:`${n}${r} ${e}`,method:n==="suspend"?"PUT":"DELETE",path:`/lines/${e}/suspension`,title:s(`line.${n}-title`,{name:t})});function La(e,t){let n=e.username,r=t==="suspend"?"resume":"suspend";return e.suspended&&t==="suspend"?P(s("line.edited",{name:n})):P(s(`line.${t}-done`,{name:n}),{undo:{...cn(e,r," again"),body:r==="suspend"?{reason:e.suspension_reason||""}:void 0,said:s(`line.${r}-done`,{name:n})}})}function hc({line:e,changed:t,act:n}){let r=e.suspended?"resume":"suspend",a=R({...cn(e,r," now"),fields:{}});return n.current=()=>a.send(r==="suspend"?{}:void 0),D(a,()=>{re(La(e,r)),t(a.answer)}),a.state==="unknown"?o`<${ge} form=${a} />`:a.state==="refused"&&a.problem&&o`<${N} problem=${a.problem} />`}function bc({line:e,changed:t}){let n=R({...cn(e,"suspend"),fields:{reason:e.suspension_reason||""}});return o`<${Ia} form=${n} line=${e} changed=${t} does="suspend"><p>${s("line.suspended-means")}</p><${en} form=${n} name=${e.username} /><//>`}function gc({line:e,changed:t}){let n=R({...cn(e,"resume"),fields:{}});return o`<${Ia} form=${n} line=${e} changed=${t} does="resume"><p>${s("line.resume-meaning")}</p><${Aa} line=${e} /><//>`}function Ia({form:e,line:t,changed:n,does:r,children:a}){let[i]=g(t);return D(e,()=>{n(e.answer),C(La(i,r))}),o`<${he} title=${s(`line.${r}-title`,{name:t.username})} onClose=${()=>C()}>
    <${H} form=${e} danger=${r==="suspend"} submit=${s("line."+r)} onSubmit=${()=>e.send(r==="suspend"?e.fields:void 0)} onClose=${()=>C()}>${a}<//>
  <//>`}function wc({line:e}){let t=s("line.delete-title",{name:e.username}),n=R({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:t,fields:{typed:""},secret:["typed"]});return D(n,()=>qt("/lines",P(s("line.deleted",{name:e.username})))),o`<${he} look="dialog" title=${t} onClose=${()=>C()}>
    <${H} form=${n} danger submit=${s("line.delete")} ready=${ke(n.fields.typed)===e.username} onSubmit=${()=>n.send()} onClose=${()=>C()}>
      <p>${s("line.delete-meaning")}</p>
      <${F} form=${n} name="typed" label=${s("line.delete-type",{name:e.username})} autofocus required />
    <//>
  <//>`}var co=["running","expired","suspended","owner_blocked"],yc=["newest","expiry","latest_expiry","username"],Ma=["q","username","mine","owner","tree","show","status","when"],St={soon:["expiring_7d",{when:"soon",show:"official",status:""}],past:["expired_14d",{when:"past",show:"official",status:""}],running:["running",{when:"",show:"official",status:"running"}],trials:["trials",{when:"",show:"trials",status:"running"}]},ja=e=>e.get("days")?"":Object.keys(St).find(t=>Object.entries(St[t][1]).every(([n,r])=>(n==="status"?Wt(e):e.get(n)||"")===r))||"",mn=e=>Number(/^([1-9]|1[0-4])$/.exec(e.get("days")||"")?.[0]||7),Wt=e=>co.find((t,n)=>[t,String(1-n)].includes(e.get("status")||""))||"";function Na(e,t,n){let r=e.get("when"),a=e.get("show"),i=Wt(e),l=c=>new Date(t+c*864e5).toISOString();return{q:e.get("q"),username:e.get("username"),owner:e.get("mine")?n:e.get("owner"),tree:e.get("tree"),isTrial:a==="trials"?"1":a==="official"?"0":void 0,effective:i||(r==="soon"?"running":r==="past"?"expired":void 0),expires_after:r==="soon"?l(0):r==="past"?l(-14):void 0,expires_before:r==="soon"?l(mn(e)):r==="past"&&i&&i!=="expired"?l(0):void 0}}function mo(e){let t=e.get("when"),n=Wt(e);return t==="past"||n==="expired"?"latest_expiry":t==="soon"||n?"expiry":"newest"}var po=e=>yc.find(t=>t===e.get("sort"))||mo(e);function Ba(e,t){let n=po(e);return n===(t.effective||t.expires_after||t.expires_before?"expiry":"id")?void 0:n}function za(e,t,n){let r=e.get("mine")?String(t):e.get("owner");return r?{account:r}:{tree:e.get("tree")||(n?String(t):void 0)}}function Ua(e){let t=i=>e.get(i)||"",n=Wt(e),r=t("show"),a=t("when");return[{name:"q",key:t("q")&&"filter.text",values:{text:t("q")}},{name:"username",key:t("username")&&"filter.begins",values:{text:t("username")}},{name:"status",key:n&&"filter."+n},{name:"show",key:/^(trials|official)$/.test(r)?"filter."+r:""},{name:"when",key:/^(soon|past)$/.test(a)?"filter.says-"+a:"",values:{n:mn(e)}},{name:"mine",key:t("mine")&&"filter.mine"},...["owner","tree"].map(i=>({name:i,key:t(i)&&"reseller.by-id",values:{id:t(i)}}))].filter(({key:i})=>i)}var Ha=({name:e,label:t,value:n,of:r,choose:a,always:i})=>o`<p class="menu-head">${t}</p>
  ${[...i?[]:[["",s("filter.any")]],...r].map(([l,c])=>o`<button key=${l} type="button" aria-pressed=${n===l} data-filter=${e} data-value=${l} onClick=${()=>a(l)}>
    <${f} name=${n===l?"check":""} />${c}</button>`)}`;function Wa(e){let{name:t,label:n,value:r,of:a,choose:i}=e,l=a.find(([c])=>c===r)?.[1];return o`<span class="filter-of" data-of=${t}>
    <${fe} label=${l?`${n}: ${l}`:n} look=${l?"filter is-set":"filter"} face=${o`${l?o`<span class="what">${n}:</span> ${l}`:n}${!l&&o`<${f} name="chevron-down" />`}`}><${Ha} ...${e} /><//>
    ${l&&o`<button type="button" class="filter-x" aria-label=${s("filter.remove",{filter:l})} onClick=${()=>i("")}><${f} name="x" /></button>`}
  </span>`}var dn=({of:e,children:t})=>o`<span class="filters-all"><${fe} label=${s("filter.more")} look="chip" face=${o`<${f} name="list-filter" />${s("filter.more")}`}>
  ${e.map(n=>o`<${Ha} key=${n.name} ...${n} />`)}${t}<//></span>`;var vc=e=>Ua(e).map(({name:t,key:n,values:r})=>({name:t,text:s(n,r)})),kc={...Object.fromEntries(Ma.map(e=>[e,""])),days:"",sort:""};function Ga(){let{query:e}=M.use(),[t,n]=g(!1),r=e.get("do")||"",a=Ae("picked"),i=Na(e,e.get("when")?Lo():0,h().id),l=JSON.stringify(i),c=Gn().length>0,m=!!ns(l)||t,d=vc(e);if(Object.hasOwn(vt,r)&&a&&w(vt[r]))return o`<${Ds} key=${r} action=${r} picked=${a} said=${d.map(({text:O})=>O)} />`;let p={...i,sort:Ba(e,i)},u=po(e),$=mo(e),b=O=>de({sort:O===$?"":O}),y=O=>O.map(z=>[z,s("filter."+z)]),v=[{name:"status",label:s("filter.status"),value:Wt(e),of:y(co)},{name:"show",label:s("filter.show"),value:e.get("show")||"",of:y(["official","trials"])},{name:"when",label:s("filter.when"),value:e.get("when")||"",of:[["soon",s("filter.soon",{n:mn(e)})],["past",s("filter.past")]]},...Q.haveBelow()?[{name:"mine",label:s("filter.whose"),value:e.get("mine")||"",of:[["1",s("filter.mine")]]}]:[],{name:"sort",label:s("sort"),value:u,always:!0,of:[$,...["newest","expiry","latest_expiry","username"].filter(O=>O!==$)].map(O=>[O,s("sort."+O)])}].map(O=>({...O,choose:z=>O.name==="sort"?b(z):de({[O.name]:z,...O.name==="when"&&{days:""}})})),k=d.filter(({name:O})=>!v.some(z=>z.name===O&&z.value)),T=o`<tr>
    ${c&&o`<th class="pick"><${Nr} filter=${l} /></th>`}
    <${pn} name="name" label=${s("customer")} orders=${[["username","ascending"]]} order=${u} choose=${b} />
    <th class="st">${s("filter.status")}</th>
    <${pn} name="expiry" label=${s("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${u} choose=${b} />
    <th class="phone">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`,L=()=>{tt.set(null),n(!1)};return o`<${B} title=${s("nav.lines")} actions=${o`<${Ps} query=${p} />
      ${c&&o`<button type="button" class="button ghost only thumb" aria-label=${s("select.some")} title=${s("select.some")} aria-pressed=${m} onClick=${()=>m?L():n(!0)}><${f} name="square-check" /></button>`}
      ${w("lines:write")&&o`<${Bt} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${s("chips")}><${dn} of=${v}><hr /><${Ps} query=${p} look="" /><//><${xc} query=${e} /></nav>
      ${m?o`<${Br} filter=${l} query=${i} listed=${p} leave=${L} />`:o`<div class="list-bar">${v.map(O=>O.name!=="sort"&&o`<${Wa} key=${O.name} ...${O} />`)}
          ${k.map(({name:O,text:z})=>o`<button key=${O} type="button" class="chip is-on" aria-label=${s("filter.remove",{filter:z})} onClick=${()=>de({[O]:""})}>${z}<${f} name="x" /></button>`)}
          ${d.length>0&&o`<button type="button" class="button link" onClick=${()=>de(kc)}>${s("filter.clear")}</button>`}</div>`}
      <${Ge} path="/lines" query=${p} label=${s("nav.lines")} head=${T} look="customers" count=${Fe} empty=${d.length?s("lines.none-such"):s("lines.none")}
        row=${O=>Ns(O,c?l:void 0)} />
    </div>
  <//>`}function pn({name:e,label:t,orders:n,order:r,choose:a}){let i=n.findIndex(([c])=>c===r),l=n[i]?.[1];return o`<th class=${e} scope="col" aria-sort=${l}><button type="button" class="sort" onClick=${()=>a(n[(i+1)%n.length][0])}>${t}<${f} name=${l?l==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function xc({query:e}){let t=jt.use(),n=j("/reports/summary",{days:1,...za(e,h().id,Q.haveBelow())}),[r]=g(t);S(()=>{t!==r&&n.reload()},[t]);let a=n.value?.lines,i=ja(e),l=!["status","show","when"].some(m=>e.get(m)),c=(m,d,p,u)=>o`<a key=${m} href=${rt("/lines?"+new URLSearchParams(p))} aria-current=${d?"page":void 0} data-tab=${m}
    onClick=${$=>{$.preventDefault(),de({...p,days:""})}}>${s("tabs."+m)}${u!==void 0&&o` <b>${q(u)}${a?.capped?"+":""}</b>`}</a>`;return o`${c("all",l,{status:"",show:"",when:""},void 0)}
    ${Object.entries(St).map(([m,[d,p]])=>c(m,m===i,p,a?.[d]))}`}var Ka=["whatsapp","telegram"];function Ja(){let e=j(`/users/${h().id}/messages`),[t,n]=g(0),r=a=>{e.set(a),Or(a),n(t+1),re(P(s("messages.saved")))};return o`<${B} title=${s("nav.messages")}>
    <p>${s(h().is_admin?"messages.meaning-top":"messages.meaning")}</p>
    <${G} of=${e}>${a=>w("users:write")?o`<${Cc} key=${t} messages=${a} saved=${r} />`:o`<${Sc} messages=${a} />`}<//>
  <//>`}var Qa=e=>{let t={access:30,reminder:3,expired:-1,welcome:30}[e]||30;return{username:"maria.tv",password:"7Kd92x",expDate:new Date(W()+t*864e5).toISOString()}},Va=({text:e})=>o`<p class="bubble text" translate=${!1} data-message>${e}</p>`,Sc=({messages:e})=>o`
  <section class="panel"><h2>${s("messages.where")}</h2>
    <${X} of=${["server","apps"].map(t=>[s("messages."+t),o`<span class="text">${Xe(t,e)||s("messages.none")}</span>`])} />
  </section>
  <div class="panels">${yt.map(t=>o`<section class="panel" key=${t}><h2>${s("messages."+t)}</h2>
    <${Va} text=${Os(Xe(t,e),Qa(t),e)} /></section>`)}</div>`;function Cc({messages:e,saved:t}){let n=["server","apps",...yt,...Ka],r=Object.fromEntries(n.map(m=>[m,Ka.includes(m)?"":e.inherited[m]||(yt.includes(m)?s("message.default."+m):"")])),a=R({name:"messages",method:"PUT",path:`/users/${h().id}/messages`,title:s("nav.messages"),fields:Object.fromEntries(n.map(m=>[m,e[m]||r[m]]))}),{fields:i}=a;D(a,()=>t(a.answer));let l=Object.fromEntries(n.map(m=>{let d=(m==="server"?i[m].replace(/\s+/g," "):i[m]).trim();return[m,d===r[m].trim()?null:d||null]})),c={...l,inherited:e.inherited};return o`<${H} form=${a} submit=${s("save")} onSubmit=${()=>a.send(l)}>
    <section class="panel"><h2>${s("messages.where")}</h2>
      <${uo} form=${a} name="server" above=${r.server} hint=${s("messages.server.hint")} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${uo} form=${a} name="apps" above=${r.apps} hint=${s("messages.apps.hint")} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${yt.map(m=>o`<section class="panel template" key=${m}>
      <div>
        <${uo} form=${a} name=${m} above=${r[m]}
          standard=${!e.inherited[m]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${s("messages.insert")}>${Dn.map(d=>o`<button type="button" class="button" key=${d} disabled=${a.frozen}
          onClick=${p=>_c(a,m,`{${d}}`,p.currentTarget)}><${f} name="plus" />${s("messages.put."+d)}</button>`)}</div>
      </div>
      <div><p class="quiet">${s("messages.preview")}</p><${Va} text=${Os(Xe(m,c),Qa(m),c)} /></div>
    </section>`)}
    ${Q.haveBelow()&&o`<section class="panel"><h2>${s("messages.reach")}</h2><p>${s("messages.reach.meaning")}</p>
      <${F} form=${a} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
      <${F} form=${a} name="telegram" label=${s("telegram")} hint=${s("messages.telegram.hint")} maxlength="64" />
    </section>`}
  <//>`}var uo=({form:e,name:t,above:n,standard:r=!1,...a})=>o`
  <${F} form=${e} name=${t} label=${s("messages."+t)} placeholder=${n} ...${a} />
  ${!!n&&(e.fields[t].trim()!==n.trim()?o`<button type="button" class="button link" disabled=${e.frozen} onClick=${()=>e.set({[t]:n})}><${f} name="rotate-cw" />${s(r?"messages.use-standard":"messages.use-above")}</button>`:o`<p class="from"><span class="badge">${s(r?"messages.is-standard":"messages.is-above")}</span></p>`)}`;function _c(e,t,n,r){let a=r.closest(".template")?.querySelector("textarea"),{value:i,selectionStart:l,selectionEnd:c}=a;e.set({[t]:i.slice(0,l)+n+i.slice(c)}),setTimeout(()=>{a.focus(),a.setSelectionRange(l+n.length,l+n.length)})}var Oc=1e3,Tc=25e3,Ya=10,un=e=>e?.find(({event:t})=>t.startsWith("test_")),qc=e=>e.replace(/.*_/,""),Za=({error:e,cause:t})=>ue("delivery.tls."+t)?s("delivery.tls."+t):ue("delivery.why."+e)?s("delivery.why."+e):e,Xa=({of:{answer:e}})=>e&&o`<span class="text">${s("delivery.answer")} <bdi>${e}</bdi></span>`;function ei(e,t){let n=j(`/webhooks/${e}/deliveries`),[r,a]=g(null);S(()=>{if(!t||!r||r.over)return;let l=new AbortController;return i(l.signal),()=>l.abort()},[t,r]);let i=async l=>{for(let c=Date.now()+Tc;Date.now()<c;){if(await lt(l,Oc),await gt(l),l.aborted)return;try{let m=await J("GET",`/webhooks/${e}/deliveries`,{signal:l});if(n.set(m),r?.test&&un(m.data)?.event!==r.before)break}catch{}}l.aborted||a(c=>c&&{...c,over:!0})};return{...n,test:r?.test&&un(n.value?.data)?.event!==r.before?un(n.value?.data):void 0,watched:r,watch:(l=!1)=>a({test:l,before:un(n.value?.data)?.event,over:!1})}}function ti({of:{test:e,watched:t}}){return t?.test?e?e.error?o`<${ee} tone="bad"><p>${s("webhook.test-failed",{why:Za(e)})} <${Xa} of=${e} /></p><//>`:o`<${ee} tone="good"><p>${s("webhook.test-arrived",{status:e.http_status,ms:q(e.duration_ms)})}</p><//>`:o`<${ee} tone=${t.over?"unsure":"plain"}><p>${s(t.over?"webhook.test-late":"webhook.test-sent")}</p><//>`:null}function si({of:e,enabled:t,refresh:n}){let[r,a]=g(!1);return o`<section class="panel"><h2>${s("delivery.attempts")}</h2>
    <${G} of=${e}>${({data:i})=>o`
      ${i.length?o`<ul class="rows">${i.slice(0,r?i.length:Ya).map(l=>o`<li key=${l.event+l.attempt+l.at}>
        <${Ec} of=${l} goesOn=${t&&i.find(({event:c})=>c===l.event)===l} /></li>`)}</ul>`:o`<p class="quiet">${s("delivery.none")}</p>`}
      <div class="buttons">
        ${i.length>Ya&&!r&&o`<button type="button" class="button" onClick=${()=>a(!0)}>${s("home.all")}</button>`}
        <button type="button" class="button" disabled=${e.loading} onClick=${n}><${f} name="rotate-cw" />${s("list.refresh")}</button>
      </div>`}<//>
  </section>`}var Fc=e=>e&&Date.parse(e)>W()&&(Date.parse(e)<W()+6e4?s("delivery.soon"):s("delivery.next",{at:ps(e)}));function Ec({of:e,goesOn:t}){let n=[e.http_status&&s("delivery.status",{status:e.http_status}),q(e.duration_ms)+" ms",e.attempt>1&&s("delivery.attempt",{n:e.attempt}),t&&Fc(e.next_attempt_at)];return o`<div class="row delivery">
    <span class="name">${s(e.event.startsWith("test_")?"delivery.test":"delivery.entry",{n:qc(e.event)})}</span>
    <${ze} good=${!e.error}>${s(e.error?"delivery.failed":"delivery.arrived")}<//>
    ${e.error&&o`<span>${Za(e)}</span>`}
    <${Xa} of=${e} />
    <span class="quiet"><time datetime=${e.at}>${A(e.at)}</time>${n.filter(Boolean).map(r=>" · "+r)}</span>
  </div>`}function oi({id:e}){let{query:t}=M.use(),n=He(`/webhooks/${e}`);return Ut(),o`<${B} title=${n.value?zt(n.value):s("nav.webhooks")} up="/webhooks">
    <${G} of=${n}>${r=>o`<${Rc} webhook=${r} doing=${t.get("do")||""} changed=${n.set} reload=${n.reload} />`}<//>
  <//>`}function Rc({webhook:e,doing:t,changed:n,reload:r}){let[a,i]=g(0),l={edit:Dc,enable:!e.enabled&&ni,disable:e.enabled&&ni,rotate:Lc,replay:e.enabled&&jc,delete:Nc},c=Object.hasOwn(l,t)&&l[t],m=ei(e.id,!c);if(c)return o`<${c} key=${t} webhook=${e} changed=${n} sent=${m.watch} />`;let d=(u,$,b="")=>o`<button type="button" class=${"button "+b} onClick=${()=>Z(u)}>${s($)}</button>`,p=()=>{m.watch(!0),i(a+1)};return o`
    <${Xs} of=${"webhook "+e.id} title=${s("webhook.secret")} meaning=${s("webhook.secret-once")} copy=${s("webhook.secret-copy")} />
    <p class="glance"><${Ws} webhook=${e} /></p>
    ${!e.enabled&&o`<${ee} tone="unsure"><p><strong>${xt(e)[0]}</strong></p><p>${xt(e)[1]} ${s("webhook.meanwhile")}</p><//>`}
    <div class="buttons">
      ${e.enabled?o`<${Pc} key=${a} webhook=${e} ready=${!!m.value} sent=${p} />`:d("enable","webhook.enable","primary")}
      ${d("edit","line.edit")}${d("rotate","webhook.rotate")}
      ${e.enabled&&o`${d("replay","webhook.replay")}${d("disable","webhook.disable")}`}
      ${d("delete","line.delete","danger-plain")}
    </div>
    <div aria-live="polite">${e.enabled&&o`<${ti} of=${m} />`}</div>
    <section class="panel">
      <h2>${s("line.record")}</h2>
      <${X} of=${[[s("webhook.url"),e.url],[s("webhook.types"),Us(e)],[s("filter.whose"),Hs(e)],[s("webhook.description"),e.description&&o`<span class="text">${e.description}</span>`],[s("line.id"),e.id],[s("created"),A(e.created_at)]]} />
    </section>
    <${si} of=${m} enabled=${e.enabled} refresh=${()=>{m.reload(),r()}} />`}function Pc({webhook:e,ready:t,sent:n}){let r=R({name:"test "+e.id,method:"POST",path:`/webhooks/${e.id}/test`,title:Gt("webhook.test",e),fields:{}}),{state:a,problem:i}=r;return D(r,n),o`<div class=${a==="unknown"||i?"wide":""} data-form=${a}>
    ${a==="unknown"?o`<${ge} form=${r} />`:o`<button type="button" class="button primary" disabled=${r.frozen||!t} onClick=${()=>r.send({})}>${s(a==="sending"?"form.sending":"webhook.test")}</button>`}
    ${a==="refused"&&i&&o`<${N} problem=${i} />`}
  </div>`}var Gt=(e,t)=>`${s(e)}: ${zt(t)}`;function Dc({webhook:e,changed:t}){let n=Gt("line.edit",e),r=R({name:"edit webhook "+e.id,method:"PATCH",path:"/webhooks/"+e.id,title:n,fields:Gs(e)});return D(r,()=>{t(r.answer),C(P(s("webhook.edited")))}),o`<section class="panel"><h2>${n}</h2>
    <${H} form=${r} submit=${s("save")} ready=${Js(r.fields)} onSubmit=${()=>r.send(Ks(r.fields))} onClose=${()=>C()}>
      <${Qs} form=${r} />
    <//>
  </section>`}function ni({webhook:e,changed:t,sent:n}){let r=e.enabled?"webhook.disable":"webhook.enable",a=Gt(r,e);return o`<${pt} name=${`${r} ${e.id}`} method="PATCH" path=${"/webhooks/"+e.id} title=${a} meaning=${s(r+"-meaning")} submit=${s(r)}
    body=${{enabled:!e.enabled}} then=${i=>{C(P(s(r+"-done"))),t(i),e.enabled||n()}} />`}var Ac=[24,72,168,0];function Lc({webhook:e}){let t=Gt("webhook.rotate",e),n=R({name:"rotate "+e.id,method:"POST",path:`/webhooks/${e.id}/rotate`,title:t,place:`/webhooks/${e.id}?do=rotate`,fields:{overlap_hours:24}});return D(n,()=>{let{secret:r,previous_expires_at:a}=n.answer;Re.set({of:"webhook "+e.id,secret:r}),C(P(a?s("webhook.rotated-until",{at:A(a)}):s("webhook.rotated")))}),o`<section class="panel"><h2>${t}</h2>
    <${H} form=${n} submit=${s("webhook.rotate")} onSubmit=${()=>n.send(n.fields)} onClose=${()=>C()}>
      <p>${s("webhook.rotate-meaning")}</p>
      <${We} form=${n} name="overlap_hours" label=${s("webhook.overlap")} of=${Ac.map(r=>[r,r?s("period.day",{n:r/24}):s("webhook.overlap-none")])} />
    <//>
  </section>`}var Ic=36e5;async function Mc(e,{hours:t,...n},r){let a=new Date(W()-t*Ic).toISOString(),i=0,l=0,c="",m="";for(let d=0;m!==null&&d<cs;d++){let{data:p,next_cursor:u}=await J("GET",e,{query:{...n,order:"desc",limit:500,cursor:m},signal:r}),$=p.filter(b=>b.timestamp>=a);i+=$.length,$.length&&({seq:l,timestamp:c}=$[$.length-1]),m=$.length<p.length?null:u}return{n:i,seq:l,at:c}}function jc({webhook:e,sent:t}){let n=Gt("webhook.replay",e),r=R({name:"replay "+e.id,method:"POST",path:`/webhooks/${e.id}/replay`,title:n,fields:{from:"1",number:""}}),{from:a,number:i}=r.fields,l=a==="entry",c=j(l?null:"/events",{hours:a,type:e.types.includes("*")?[]:e.types,account:e.scope==="own"?h().id:""},Mc),m=l?/^[1-9]\d{0,14}$/.test(Ve(i))&&Number(Ve(i)):c.value?.seq;return D(r,()=>{C(P(s("webhook.replayed"))),t()}),o`<section class="panel"><h2>${n}</h2>
    <${H} form=${r} submit=${s("webhook.replay")} ready=${!!m} onSubmit=${()=>r.send({after_seq:Number(m)-1})} onClose=${()=>C()}>
      <p>${s("webhook.replay-meaning")}</p>
      <${We} form=${r} name="from" label=${s("webhook.replay-from")} of=${["1","24","168","entry"].map(d=>[d,s("webhook.replay."+d)])} />
      ${l?o`<${F} form=${r} name="number" label=${s("webhook.replay-number")} hint=${s("webhook.replay-hint")} inputmode="numeric" maxlength="15" required />`:o`<${G} of=${c}>${({n:d,at:p})=>o`<p role="status">${d?s("webhook.replay-count",{n:d,at:A(p)}):s("webhook.replay-nothing")}</p>`}<//>`}
    <//>
  </section>`}var Nc=({webhook:e})=>o`<${pt} name=${"delete webhook "+e.id} method="DELETE" path=${"/webhooks/"+e.id} title=${Gt("line.delete",e)}
  meaning=${s("webhook.delete-meaning")} submit=${s("line.delete")} danger then=${()=>qt("/webhooks",P(s("webhook.deleted",{host:zt(e)})))} />`;var Bc=20,ri=()=>h().is_admin&&w("prices:write")?o`<${Uc} />`:o`<${zc} />`;function zc(){let e=j("/prices");return o`<${B} title=${s("nav.prices")}>
    <${G} of=${e}>${({prices:t})=>o`<section class="panel">
      <${X} of=${t.map(n=>[It(n),o`<${$e} of=${n.credits} />`])} /></section>`}<//>
  <//>`}function Uc(){let{query:e}=M.use(),t=Number(/^[1-9]\d*$/.exec(e.get("of")||"")?.[0]||0),n=e.get("do"),r=t?`/users/${t}/prices`:"/prices/book",a=j("/plans",{all:!0}),i=j(r),l=j(r+"/history",{limit:Bc}),[c,m]=g(0),d=()=>{m(c+1),Rr(),[a,i,l].forEach(u=>u.reload())},p={...a,value:a.value&&i.value&&l.value&&!0,problem:a.problem||i.problem||l.problem,reload:d};return o`<${B} title=${s("nav.prices")} actions=${o`<button type="button" class="button" onClick=${()=>Z("plan")}><${f} name="plus" />${s("plan.new")}</button>`}>
    <${G} of=${p}>${()=>o`<nav class="tabs" aria-label=${s("prices.books")}><${$o} of=${0} at=${t} />
      ${i.value.reach.other_books.map(u=>o`<${$o} key=${u} of=${u} at=${t} />`)}
      ${!!t&&!i.value.reach.other_books.includes(t)&&o`<${$o} of=${t} at=${t} />`}
      <a href=${rt("/prices?do=book")} onClick=${u=>{u.preventDefault(),Z("book")}}><${f} name="plus" />${s("prices.another")}</a></nav>
      <${Wc} key=${t+" "+c} of=${t} path=${r} plans=${a.value?.data||[]} book=${i.value} past=${l.value.data} reload=${d} />`}<//>
    ${n==="plan"&&o`<${sm} sort=${Math.max(0,...(a.value?.data||[]).map(u=>u.sort))+1} then=${d} />`}
    ${n==="book"&&o`<${Hc} />`}
  <//>`}function Hc(){let[e,t]=g(""),n=j("/users",{q:ke(e),limit:8});return o`<${he} title=${s("prices.another")} onClose=${()=>C()}>
    <label class="search"><${f} name="search" /><input type="search" value=${e} autofocus onInput=${r=>t(r.target.value)} aria-label=${s("prices.find")} placeholder=${s("prices.find")} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>
    <div class="finds"><${G} of=${n}>${({data:r})=>o`<ul class="rows">${r.filter(a=>!a.is_admin).map(a=>o`<li key=${a.id}><${_} class="row" to=${"/prices?of="+a.id} translate=${!1}>${a.username}<//></li>`)}</ul>`}<//></div>
  <//>`}function $o({of:e,at:t}){let n=Oe(e||h().id);return o`<${_} to=${e?"/prices?of="+e:"/prices"} aria-current=${e===t?"page":void 0}>
    ${e?o`<span translate=${!1}>${n||s("reseller.by-id",{id:e})}</span>`:s("prices.platform")}<//>`}function Wc({of:e,path:t,plans:n,book:r,past:a,reload:i}){let l=new Map(r.rows.map(k=>[k.plan,k.credits])),c=Oe(e||h().id),m=R({name:"prices "+e,method:"PUT",path:t,title:s("nav.prices"),fields:{when:"now",at:"",note:""}}),{fields:d,frozen:p}=m,u=n.map(k=>{let T=l.get(k.id)||"",L=d["p"+k.id];return{plan:k,was:T,...L===void 0?{amount:T,wrong:""}:ye(L)}}),$=u.filter(({was:k,amount:T,wrong:L})=>L||!$n(k,T)),b=u.some(k=>k.wrong),y=d.when==="at"?d.at&&new Date(d.at):null;D(m,()=>{re(P(s("prices.published",{when:_t(m.answer.effective_at)}))),i()});let v=()=>m.send({rows:u.filter(k=>k.amount).map(k=>({plan:k.plan.id,credits:k.amount})),effective_at:y?y.toISOString():void 0,note:d.note.trim()||null});return o`
    ${!!e&&r.inherited_from!==null&&o`<${ee}><p>${s("prices.inherited",{name:c})}</p><//>`}
    <div class="cols prices">
      <div class="stack">
        <section class="panel"><table class="table book"><thead><tr><th>${s("plan")}</th><th>${s("price.choose")}</th><th class="num con">${s("plan.connections")}</th>
          <th class="num">${s("prices.today")}</th><th class="new">${s("prices.new")}</th><th class="num diff">${s("prices.change")}</th><th class="on">${s("plan.on-sale")}</th></tr></thead>
          <tbody>${u.map(k=>o`<${Kc} key=${k.plan.id} row=${k} form=${m} reload=${i} />`)}</tbody></table></section>
        <p class="quiet small">${s("plan.immutable")}</p>
        <${Xc} of=${e} path=${t} past=${a} plans=${n} reload=${i} />
      </div>
      <section class="panel publish"><h2>${$.length?s("prices.publish-n",{n:$.length,count:q($.length)}):s("prices.publish")}</h2>
        <${H} form=${m} submit=${y?s("prices.publish-at",{when:_t(y)}):s("prices.publish")} ready=${!!$.length&&!b&&(d.when==="now"||!!y)} onSubmit=${v}
          onClose=${$.length&&!p?()=>{m.restart()}:void 0}>
          <${ai} form=${m} name="when" label=${s("prices.when")} of=${["now","at"].map(k=>[k,s("prices.when."+k)])} />
          ${d.when==="at"&&o`<${F} form=${m} name="at" label=${s("prices.at")} type="datetime-local" max="9999-12-31T23:59" required hint=${Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_"," ")} />`}
          <p class="quiet small">${s("prices.paid")}</p>
          <${Qc} book=${r} />
          <${F} form=${m} name="note" label=${s("notes")} maxlength="500" />
        <//>
        ${!!e&&!!a[0]?.rows.length&&o`<${Zc} of=${e} name=${c} reload=${i} />`}
      </section>
    </div>`}var fo=({name:e,period:{count:t,unit:n}})=>It({name:e,period:`${t} ${n}${t>1?"s":""}`}),$n=(e,t)=>e&&t?U(e)===U(t):e===t;function Gc({was:e,amount:t}){if($n(e,t))return o`<span class="quiet">${s("prices.same")}</span>`;if(!e||!t)return s(e?"prices.left-out":"prices.added");let n=U(t)>U(e),r=n?$t(t,e):$t(e,t);return o`<${f} name=${n?"arrow-up":"arrow-down"} /><span class="hush">${s(n?"prices.up":"prices.down")}</span> ${E(r)} <span class="quiet">(${us(Number((U(r)*100n+U(e)/2n)/U(e)))})</span>`}function Kc({row:{plan:e,was:t,amount:n,wrong:r},form:a,reload:i}){let l="p"+e.id,c=fo(e);return o`<tr class=${r||!$n(t,n)?"is-changed":""} data-plan=${e.id}>
    <th scope="row">${c}${e.packages&&o`<span class="quiet small">${Ye(e.packages)}</span>`}</th>
    <td class="for">${s("period."+e.period.unit,{n:e.period.count})}</td><td class="num con">${q(e.connections)}</td>
    <td class="num was" translate=${!1}>${t?E(t):"—"}</td>
    <td class="new"><input class="input" name=${l} inputmode="decimal" maxlength="24" aria-label=${s("prices.new-of",{plan:c})} aria-invalid=${r?"true":void 0} value=${a.fields[l]??E(t)}
      disabled=${a.frozen} onInput=${m=>a.set({[l]:m.target.value})} /></td>
    <td class="num diff">${r||o`<${Gc} was=${t} amount=${n} />`}</td>
    <td class="on"><${Jc} plan=${e} reload=${i} /></td></tr>`}function Jc({plan:e,reload:t}){let{id:n,on_sale:r,on_sale_changes_at:a}=e,i=fo(e),l=R({name:`sale ${n} ${!r}`,method:"PATCH",path:"/plans/"+n,title:i,fields:{}});return D(l,()=>{re(P(s(r?"plan.off":"plan.on",{plan:i}))),t()}),l.state==="unknown"?o`<${ge} form=${l} />`:o`<button type="button" class=${r?"switch is-on":"switch"} role="switch" aria-checked=${r} aria-label=${s("plan.sells",{plan:i})} disabled=${l.frozen||!!a} onClick=${()=>l.send({on_sale:!r})}>
    <i></i>${s(r?"yes":"no")}</button>${l.problem&&o`<${N} problem=${l.problem} />`}`}function Qc({book:{reach:{resellers:e,lines:t,capped:n,other_books:r}}}){return o`<div class="whom"><h3>${s("prices.whom")}</h3>
    <p>${s("prices.serves",{n:e,resellers:Vc(e,n),lines:n?s("at-least",{n:Fe(t)}):Fe(t)})}</p>
    ${!!r.length&&o`<p class="quiet">${s("prices.not-for")}</p><ul>${r.map(a=>o`<li key=${a}><${Yc} id=${a} /></li>`)}</ul>`}</div>`}var Vc=(e,t)=>t?s("at-least",{n:q(e)}):q(e),Yc=({id:e})=>o`<${_} to=${"/prices?of="+e}>${Oe(e)||s("reseller.by-id",{id:e})}<//>`;function Zc({of:e,name:t,reload:n}){let r=R({name:"inherit "+e,method:"DELETE",path:`/users/${e}/prices`,title:s("prices.inherit"),fields:{}});return D(r,()=>{re(P(s("prices.inherits",{name:t}))),n()}),r.state==="unknown"?o`<${ge} form=${r} />`:o`<button type="button" class="button wide" disabled=${r.frozen} onClick=${()=>r.send()}>${s("prices.inherit")}</button>${r.problem&&o`<${N} problem=${r.problem} />`}`}function Xc({of:e,path:t,past:n,plans:r,reload:a}){if(!n.length)return null;let i=new Map(r.map(c=>[c.id,fo(c)])),l=n.filter(c=>Date.parse(c.effective_at||"")<=W()||!c.effective_at).reduce((c,m)=>c&&Date.parse(c.effective_at||"1970-01-01")>=Date.parse(m.effective_at||"1970-01-01")?c:m,null);return o`<section class="panel"><h2>${s("prices.versions")}</h2>
    <table class="table dense book-log"><thead><tr><th>${s("prices.version")}</th><th>${s("prices.in-force")}</th><th>${s("prices.changes")}</th><th><span class="hush">${s("actions")}</span></th></tr></thead>
    <tbody>${n.map((c,m)=>o`<tr key=${c.version} data-version=${c.version}><td>#${c.version}</td>
      <td class=${c===l?"":"quiet"}>${c===l&&o`<${f} name="check" />`}${c.effective_at?_t(c.effective_at):s("prices.first")}</td>
      <td>${em(c,n[m+1],i)}${c.note&&o` <span class="quiet text">${c.note}</span>`}</td>
      <td>${Date.parse(c.effective_at||"")>W()+6e4&&o`<${tm} of=${e} path=${t} version=${c} reload=${a} />`}</td></tr>`)}</tbody></table></section>`}function em(e,t,n){if(!e.rows.length)return s("prices.as-above");if(!t)return"—";let r=new Map(t.rows.map(l=>[l.plan,l.credits])),a=new Map(e.rows.map(l=>[l.plan,l.credits])),i=[...new Set([...r.keys(),...a.keys()])].filter(l=>!$n(r.get(l)||"",a.get(l)||"")).map(l=>{let c=r.get(l),m=a.get(l);return`${n.get(l)||l} ${c?E(c):"—"} → ${m?E(m):"—"}`});return o`<span translate=${!1}>${i.length?Ye(i):s("prices.same")}</span>`}function tm({of:e,path:t,version:{version:n},reload:r}){let a=R({name:`cancel prices ${e} ${n}`,method:"DELETE",path:`${t}/versions/${n}`,title:s("prices.cancel"),fields:{}});return D(a,()=>{re(P(s("prices.cancelled",{version:n}))),r()}),a.state==="unknown"?o`<${ge} form=${a} />`:o`<button type="button" class="button link" disabled=${a.frozen} onClick=${()=>a.send()}>${s("prices.cancel")}</button>${a.problem&&o`<${N} problem=${a.problem} />`}`}var ai=({form:e,name:t,label:n,of:r})=>o`<div class="field"><span aria-hidden="true">${n}</span>
  <fieldset class="choice few short" disabled=${e.frozen}><legend class="hush">${n}</legend>${r.map(([a,i])=>o`<label key=${a}>
    <input type="radio" name=${t} value=${a} checked=${e.fields[t]===a} onChange=${()=>e.set({[t]:a})} /><span>${i}</span></label>`)}</fieldset></div>`;function sm({sort:e,then:t}){let n=R({name:"plan",method:"POST",path:"/plans",title:s("plan.new"),fields:{name:"",count:"1",unit:"month",connections:"1",packages:""}}),{fields:r}=n;D(n,()=>{t(),C(P(s("plan.created",{plan:n.answer.name})))});let a=r.packages.split(/[\s,]+/).filter(Boolean);return o`<${he} title=${s("plan.new")} onClose=${()=>C()}>
    <${H} form=${n} submit=${s("reseller.create")} onClose=${()=>C()}
      onSubmit=${()=>n.send({name:r.name.trim(),period:{count:Number(r.count),unit:r.unit},connections:Number(r.connections),packages:a.length?a:null,sort:e})}>
      <${F} form=${n} name="name" label=${s("plan.name")} maxlength="64" autofocus required />
      <${ai} form=${n} name="unit" label=${s("price.choose")} of=${["day","month"].map(i=>[i,s("plan.unit."+i)])} />
      <${F} form=${n} name="count" label=${s("plan.count")} type="number" min="1" max="3660" required />
      <${F} form=${n} name="connections" label=${s("plan.connections")} hint=${s("plan.connections-hint")} type="number" min="1" max="1000" required />
      <${F} form=${n} name="packages" label=${s("plan.packages")} hint=${s("plan.packages-hint")} maxlength="400" />
      <p class="quiet small">${s("plan.immutable")}</p>
    <//>
  <//>`}var ho=["month","last","dates"],ls=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(t=>String(t).padStart(2,"0")).join("-"),is=(e,t)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+t);function ii(e){let[,t,n,r]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return t?new Date(Number(t),Number(n)-1,Number(r)):void 0}function li(e,t){let n=ho.find(c=>c===e.get("period"))||"month",r=is(new Date(t),0),a=c=>new Date(r.getFullYear(),r.getMonth()+c,1);if(n==="last")return{which:n,from:a(-1),to:a(0),last:is(a(0),-1)};if(n==="month")return{which:n,from:a(0),to:a(1),last:r};let[i,l]=[ii(e.get("from"))||a(0),ii(e.get("to"))||r].sort((c,m)=>c.getTime()-m.getTime());return{which:n,from:i,to:is(l,1),last:l}}function ci(e){let t=0n,n=0n;for(let{amount:r}of e)r.startsWith("-")?n-=U(r):t+=U(r);return{came:Ze(t),went:Ze(n)}}function mi(e,t,{from:n,last:r}){let a=[],i=t,l=e.length-1;for(let c=n;c<=r;c=is(c,1)){for(let m=is(c,1);l>=0&&new Date(e[l].at)<m;l--)i=e[l].balance;a.push({day:c,balance:i})}return a}async function nm(e,t,n){let r=[];for(let a="";;){let{data:i,next_cursor:l,opening:c,closing:m}=await J("GET",e,{query:{...t,limit:500,cursor:a},signal:n});if(r.push(...i),l===null)return{entries:r,opening:c,closing:m};a=l}}function bo(e){let{query:t}=M.use(),n=li(t,W()),r={from:n.from.toISOString(),to:n.to.toISOString()},a=`/users/${e.id}/ledger`,i=j(a,r,nm),l=i.value,c=Ro(n.from,n.last),m=!e.is_admin&&o`<${om} of=${l} />`,d=u=>de({period:u==="month"?"":u,from:"",to:"",...u==="dates"&&{from:ls(n.from),to:ls(n.last)}}),p=(u,$)=>o`<label class="field">${s("statement."+u)}<input class="input" type="date" name=${u} required
    value=${ls($)} max=${ls(new Date(W()))} onChange=${b=>{b.target.value&&de({[u]:b.target.value})}} /></label>`;return{actions:o`<button type="button" class="button ghost print" disabled=${!l} onClick=${()=>print()}><${f} name="printer" /><span>${s("print")}</span></button>
      <${kt} of="ledger" query=${{account:e.id,...r}} label=${s("statement.csv")} look="button" />`,shown:o`<div class="statement">
      <${an} title=${s("print.statement",{name:e.username})} more=${()=>o`<p>${c}</p>
        ${l?o`${m}<table class="table ledger"><thead>${Jn()}</thead><tbody>${l.entries.map(Bs)}</tbody></table>`:s("list.loading")}`} />
      <div class="period">
        <div class="seg" role="group" aria-label=${s("statement.period")}>
          ${ho.map(u=>o`<button key=${u} type="button" aria-pressed=${u===n.which} onClick=${()=>d(u)}>${s("statement."+u)}</button>`)}
        </div>
        <p class="quiet" role="status">${c}</p>
        ${n.which==="dates"&&o`<div class="dates">${p("from",n.from)}${p("to",n.last)}</div>`}
      </div>
      ${i.problem&&o`<${N} problem=${i.problem} retry=${i.reload} />`}
      ${m&&o`${m}<${Vr} days=${l&&mi(l.entries,l.opening,n)} />`}
      <${Ge} path=${a} query=${r} row=${Bs} head=${Jn()} look="dense ledger"
        count=${u=>s("statement.count",{n:u,count:q(u)})} label=${s("nav.statement")} empty=${s("statement.none")} />
    </div>`}}function di({account:e}){let{actions:t,shown:n}=bo(e);return o`<div class="head"><h2>${s("nav.statement")}</h2><div class="actions">${t}</div></div>${n}`}function om({of:e}){let{came:t,went:n}=ci(e?e.entries:[]),r=i=>U(i)?ot(i):"0",a=[[s("statement.opening"),e&&E(e.opening)],[s("statement.in"),r(t)],[s("statement.out"),r("-"+n)],[s("statement.closing"),e&&E(e.closing)]];return o`<dl class="sums panel" aria-busy=${!e}>${a.map(([i,l])=>o`<div key=${i}><dt>${i}</dt><dd>${e?l:"…"}</dd></div>`)}</dl>`}function Kt(e){let t=e.id===h().id;return{mine:t,write:w("users:write"),moves:Q.manage(e,"credits:move"),blocks:Q.manage(e,"users:write"),resets:Q.manage(e,"manage"),held:w("users:read")&&(t?!e.is_admin:Q.manage(e,""))}}function ui({id:e}){let{query:t}=M.use(),n=He(`/users/${e}`),r=n.value,[a,i]=g(0),l=rs(r&&Kt(r).held?r.id:null),c=t.get("do")||"",m=r&&rm(r,c),d=r&&Kt(r).moves&&/^(topup|reclaim)$/.test(c),p=u=>{if(i(a+1),d)return C(u);re(u),n.reload()};return Ut(),o`<${B} title=${r?.username||s("reseller.title")} named=${r} up="/resellers" actions=${r&&!m&&o`<${am} reseller=${r} />`}>
    <${G} of=${n}>${()=>m?o`<${m} reseller=${r} alerts=${l} />`:o`<${im} reseller=${r} alerts=${l} turn=${a} />`}<//>
    ${d?o`<${Fn} key=${c} reseller=${r} name=${c} onClose=${u=>u?p(u):C()} />`:o`<${Ss} then=${p} />`}
  <//>`}function rm(e,t){let{write:n,held:r,blocks:a,resets:i}=Kt(e),l={block:a&&!e.block_reseller&&pm,unblock:a&&e.block_reseller&&$m,contact:n&&pi,password:n&&pi,alert:r&&n&&hm,totp:i&&fm};return Object.hasOwn(l,t)&&l[t]}function am({reseller:e}){let{mine:t,write:n,moves:r,held:a,resets:i}=Kt(e),l=h().is_admin&&w("prices:write")&&!e.is_admin,c=(m,d,p)=>o`<button type="button" onClick=${()=>Z(m)}><${f} name=${d} />${p}</button>`;return o`${r&&o`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>Ke.set({reseller:e,name:"topup"})}><${f} name="plus" />${s("reseller.topup")}</button>`}
    ${n&&o`<button type="button" class="button" onClick=${()=>Z("contact")}>${s("reseller.contact")}</button>`}
    ${(r||t||a&&n||i||l)&&o`<${fe} label=${s("more-about",{name:e.username})} look="button only">
      ${r&&o`<button type="button" onClick=${()=>Ke.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${s("reseller.reclaim")}</button>`}
      ${a&&n&&c("alert","bell",s("alert"))}
      ${l&&o`<${_} to=${"/prices?of="+e.id}><${f} name="tag" />${s("nav.prices")}<//>`}
      ${t&&o`<${_} to="/sessions"><${f} name="shield-check" />${s("nav.sessions")}<//>`}
      ${i&&o`<hr />${c("totp","shield-x",s("reseller.totp")+"…")}`}<//>`}`}function im({reseller:e,alerts:t,turn:n}){let{moves:r,blocks:a,mine:i,held:l}=Kt(e),{id:c,username:m}=e,d={account:c},p=As(d),u=e.is_admin?"admin":e.is_master?"master":"reseller",$=t.value?.balance_low,b=Zt(e,$),y=!w("events:read")||p.value||p.problem;return o`
    <p class="glance"><span class="badge"><${f} name="store" />${s("role."+u)}</span>${!e.active_tree&&o`<${Pn} reseller=${e} badge />`}<span class="quiet">${s("reseller.since",{date:ms(e.createdAt)})}</span></p>
    <${on} of=${"reseller "+c} name=${m} number=${Te(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&o`<section class="panel"><h2>${s("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${$e} of=${e.credits} /></p>
            ${l&&!i&&o`<p class="low">${b&&o`<${f} name="trending-down" />${s($?"reseller.low-alert":"home.low",{amount:E(b)})}`}</p>`}</div>
          ${r&&o`<div class="adds" role="group" aria-label=${s("reseller.topup")}>${Pt.map(v=>o`<button key=${v} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${v}
            onClick=${()=>Ke.set({reseller:e,name:"topup",amount:v})}>+${v}</button>`)}</div>`}</div></section>`}
        ${w("lines:read")&&o`<${cm} reseller=${e} />`}
        ${y?o`${!!(e.is_master||e.is_admin)&&o`<section class="panel"><h2>${s("reseller.below")}</h2><${br} key=${n} master=${c} /></section>`}<${Ls} of=${d} latest=${p} />`:o`<${Ft} />`}
      </div>
      ${y&&o`<div class="stack">
        ${e.block&&o`<section class="panel"><h2>${s("reseller.blocked")}</h2><${$i} of=${e.block} /></section>`}
        <section class="panel"><h2>${s("line.record")}</h2><${X} of=${[[s("reseller.role"),s("role."+u)],[s("whatsapp"),e.whatsapp],[s("telegram"),e.telegram],[s("email"),e.email],[s("country"),$s(e.country)],[s("notes"),e.notes&&o`<span class="text">${e.notes}</span>`],[s("reseller.master"),e.master&&!i?o`<${mm} id=${e.master} />`:null],[s("alert.field"),t.value?$?o`<${$e} of=${$} />`:s("alert.none"):l&&!t.problem?"…":null],[s("reseller.recharged"),e.is_admin?null:A(e.recharge)],[s("line.id"),c],[s("created"),A(e.createdAt)],[s("changed"),A(e.updatedAt)]]} /></section>
        ${a&&o`<section class="panel"><h2>${s(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${s(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?o`<button type="button" class="button" onClick=${()=>Z("unblock")}><${f} name="lock-open" />${s("reseller.unblock-title",{name:m})}</button>`:o`<button type="button" class="button danger-plain" onClick=${()=>Z("block")}><${f} name="lock" />${s("reseller.block-title",{name:m})}…</button>`}</section>`}
      </div>`}
    </div>
    ${y&&w("ledger:read")&&o`<${di} key=${n} account=${e} />`}`}var lm=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function cm({reseller:{id:e}}){let{value:t,problem:n,reload:r}=j("/reports/summary",{account:e,days:1}),a=t?.lines,i=l=>"/lines?"+new URLSearchParams(ss({owner:e,...l}));return o`<section class="panel"><header><h2>${s("nav.lines")}</h2><${_} class="button link" to=${i({})}>${s("home.all")}<//></header>
    ${n&&o`<${N} problem=${n} retry=${r} />`}
    <ul class="tiles">${lm.map(([l,c,m])=>o`<li key=${l}><${_} class="tile" to=${i(St[l][1])} data-count=${l}>
      <span class="figure">${a?q(a[St[l][0]])+(a.capped?"+":""):" "}</span><span><${at} icon=${c} tone=${m}>${s("tabs."+l)}<//></span><//></li>`)}</ul>
  </section>`}function mm({id:e}){let t=Oe(e);return e===h().id?t:o`<${_} to=${"/resellers/"+e}>${t||s("reseller.by-id",{id:e})}<//>`}var go=({reseller:e,name:t,path:n="block",...r})=>o`<${pt} name=${`${t} ${e.id}`} path=${`/users/${e.id}/${n}`}
  title=${s(`reseller.${t}-title`,{name:e.username})} meaning=${s(`reseller.${t}-meaning`)} submit=${s("reseller."+t)} danger=${t!=="unblock"} ...${r}
  then=${()=>C(P(s(`reseller.${t}-done`,{name:e.username}),t==="block"?{undo:dm(e)}:{}))} />`,dm=({id:e,username:t})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:s("reseller.unblock-title",{name:t}),said:s("reseller.unblock-done",{name:t})}),$i=({of:{lines:e,reason:t,at:n}})=>o`<${X} of=${[[s("nav.lines"),s("block."+e)],[s("block.since"),n&&A(n)],[s("reason"),t&&o`<span class="text">${t}</span>`]]} />`;function pm(e){let{id:t,username:n}=e.reseller,r=w("lines:read"),a=j(r?"/reports/summary":null,{tree:t,days:1});return o`<${go} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${i=>o`
    <${We} form=${i} name="lines" label=${s("block.lines")} of=${["run","suspend"].map(l=>[l,s("block."+l),s(`block.${l}-means`)])} />
    ${r&&i.fields.lines==="suspend"&&o`<${G} of=${a}>${um}<//>`}
    <${en} form=${i} name=${n} />`}<//>`}function um({lines:{running:e,trials:t,capped:n}}){let r=e+t,a=q(r);return o`<p role="status" data-stops=${r}><strong>${s("block.stops",{n:r,lines:n?s("at-least",{n:a}):a})}</strong></p>`}var $m=({reseller:e})=>o`<${go} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&o`${e.block.lines==="suspend"&&o`<p>${s("block.over")}</p>`}<${$i} of=${e.block} />`}<//>`,fm=e=>o`<${go} ...${e} name="totp" method="DELETE" path="totp" />`;function pi({reseller:e}){let t=s("reseller.contact-title",{name:e.username}),{mine:n}=Kt(e),r=M.get().query.get("do")==="password",a=R({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:t,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:i,password:l},answer:c}=a;D(a,()=>C(P(s(l?"password.changed":"reseller.contact-done",{name:c.username}))));let m=()=>a.send({...Mt(a.fields),...!n&&ke(i)!==e.username&&{username:i},...!n&&l&&{password:l}});return o`<section class="panel"><h2>${t}</h2>
    <${H} form=${a} submit=${s("save")} onSubmit=${m} onClose=${()=>C()}>
      <${ct} form=${a} />
      ${!n&&o`<details open=${r||!!l||i!==e.username}><summary>${s("reseller.password")}</summary>
        <${F} form=${a} name="username" label=${s("username")} maxlength="64" required />
        <${F} form=${a} name="password" label=${s("password.new")} hint=${s("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var hm=({reseller:e,alerts:t})=>o`<${G} of=${t}>${n=>o`<${Is} account=${e} alerts=${n} changed=${t.set} />`}<//>`;function fi({name:e,label:t}){let n=M.use().query.get(e)||"",[r,a]=g(n),i=V(0);return S(()=>{i.current||a(n)},[n]),S(()=>()=>clearTimeout(i.current),[]),o`<label class="search"><${f} name="search" />
    <input type="search" value=${r} onInput=${c=>{let m=c.target.value;a(m),clearTimeout(i.current),i.current=setTimeout(()=>{i.current=0,de({[e]:ke(m)})},250)}} aria-label=${t} placeholder=${t} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>`}var bm=500,hi={low:e=>!!Zt(e),blocked:e=>!e.active_tree},bi=({credits:e},{credits:t})=>U(e)<U(t)?-1:+(U(e)>U(t)),gi=["balance","-balance"];function wi(e){let t=new URLSearchParams(location.search);for(let[n,r]of Object.entries(e))r?t.set(n,r):t.delete(n);fs({},t.size?"?"+t:""),M.set({...M.get(),query:t})}function yi(){let{query:e}=M.use(),[t,n]=g(null);if(e.get("do")==="create"&&Q.createResellers())return o`<${gm} />`;let r=e.get("q"),a=!!e.get("all")||!!r,i=t!==!1&&e.get("view")||"",l=t!==!1&&gi.find(T=>T===e.get("sort"))||"",c=a?{q:r}:{master:h().id},m=(T,L)=>T.filter(O=>O.id!==h().id&&hi[L]?.(O)!==!1),d=T=>t&&!r&&m(t,T).length,p=T=>{let L=m(T,i);return l?L.sort((O,z)=>l==="balance"?bi(O,z):bi(z,O)):L},u=(T,L,O,z)=>o`<a key=${T} href=${rt("/resellers?"+new URLSearchParams(O))} aria-current=${L?"page":void 0} data-tab=${T}
    onClick=${ne=>{ne.preventDefault(),(O.all?a&&!r:!a)?wi({view:O.view||""}):de({q:"",all:"",view:"",...O})}}>${s("resellers."+T)}${typeof z=="number"&&o` <b>${q(z)}</b>`}</a>`,$={name:"sort",label:s("sort"),value:l,always:!0,of:["",...gi].map(T=>[T,s("sort."+(T||"oldest"))]),choose:T=>wi({sort:T})},b=t?o`<${pn} name="num bal" label=${s("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${l} choose=${$.choose} />`:o`<th class="num bal">${s("balance")}</th>`,[y,...v]=s("reseller.new").split(" "),k=o`<tr><th class="name">${s("reseller.title")}</th>${b}<th class="sit">${s("filter.status")}</th><th class="last">${s("reseller.recharged")}</th>
    <th class="tel">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`;return o`<${B} title=${s("nav.resellers")} actions=${o`<${kt} of="users" query=${c} />
      ${Q.createResellers()&&o`<button type="button" class="button primary" onClick=${()=>Z("create")}><${f} name="plus" /><span>${y}<span class="words"> ${v.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${s("chips")}><${dn} of=${t?[$]:[]}><hr /><${kt} of="users" query=${c} look="" /><//>
        ${u("direct",!a&&!i,{},!a&&d(""))}
        ${t!==!1&&Object.keys(hi).map(T=>u(T,i===T,{view:T,...e.get("all")&&{all:"1"}},d(T)))}
        ${u("all",a&&!i,{all:"1"},a&&d(""))}</nav>
      <div class="filters" role="search"><${fi} name="q" label=${s("resellers.search")} /></div>
      <${Ge} path="/users" query=${c} row=${Rn} label=${s("nav.resellers")} head=${k} look="resellers" size=${bm} arrange=${p} told=${n}
        count=${T=>s("resellers.count",{n:T,count:q(T)})} empty=${s(r||i?"resellers.none-such":"resellers.none")} />
    </div>
    <${Ss} then=${re} />
  <//>`}function gm(){let e=_e.use(),t=R({name:"create",method:"POST",path:"/users",title:s("reseller.new"),secret:["password"],fields:{username:"",password:nn(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:To.get()}}),n={...t.fields,country:t.fields.country??e?.country??""},r={...t,fields:n},{answer:a}=r,i=ye(n.credits,!0),l=r.frozen?r.said().credits:i.amount;D(r,()=>{let m=a.credits!=="0";Re.set({of:"reseller "+a.id,secret:n.password}),be("/resellers/"+a.id,{replace:!0,state:P(s("reseller.created",{name:a.username}),m?{payer:a.id,key:r.key}:{})})});let c=()=>r.send({username:n.username,password:n.password,is_master:n.is_master,credits:l,language:n.language,...Mt(n)});return o`<${B} title=${s("reseller.new")} up="/resellers"><section class="panel">
    <${H} form=${r} submit=${l&&U(l)>0n?s("reseller.create-amount",{amount:Y(l)}):s("reseller.create")} unclear=${!!i.wrong} onSubmit=${c} onClose=${()=>C()}>
      <${F} form=${r} name="username" label=${s("username")} maxlength="64" required />
      <${F} form=${r} name="password" label=${s("password")} hint=${s("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!n.is_master} disabled=${r.frozen}
        onChange=${m=>r.set({is_master:m.target.checked?1:0})} />${s("reseller.is-master")}</label>
      ${w("credits:move")&&o`<${it} form=${r} typed=${i} label=${s("reseller.first-credits")} hint=${s(h().is_admin?"amount.issued":"amount.own")} />`}
      <${ct} form=${r} />
      <${F} form=${r} name="language" label=${s("language")} kind="select">
        ${Object.entries(Oo).map(([m,d])=>o`<option key=${m} value=${m} lang=${m}>${d}</option>`)}<//>
    <//>
  </section><//>`}function vi(){let{actions:e,shown:t}=bo(h());return o`<${B} title=${s("nav.statement")} actions=${e}>${t}<//>`}var wm=10,ki=80;function xi(){let{query:e}=M.use();return e.get("do")==="create"?o`<${km} />`:o`<${ym} />`}var ym=()=>o`<${Zs} path="/webhooks" title=${s("nav.webhooks")} meaning=${s("webhook.meaning")} add=${s("webhook.new")} most=${wm}
  full=${s("problem.too-many-webhooks")} empty=${s("webhook.none")} row=${e=>o`<${vm} webhook=${e} />`} />`,vm=({webhook:e})=>o`<${_} class="row webhook" to=${"/webhooks/"+e.id} data-row>
  <span class="name">${e.url.length>ki?e.url.slice(0,ki-1)+"…":e.url}${e.description&&o`<span class="notes quiet">${e.description}</span>`}</span>
  <${Ws} webhook=${e} />
  <span class="quiet">${Us(e)} · ${Hs(e)}</span>
  ${!e.enabled&&o`<span>${xt(e).join(" ")}</span>`}
<//>`;function km(){let e=R({name:"webhook",method:"POST",path:"/webhooks",title:s("webhook.new"),place:"/webhooks?do=create",fields:Gs()}),{fields:t,answer:n}=e;return D(e,()=>{Re.set({of:"webhook "+n.id,secret:n.secret}),be("/webhooks/"+n.id,{replace:!0,state:P(s("webhook.created"))})}),o`<${B} title=${s("webhook.new")} up="/webhooks"><section class="panel">
    <${H} form=${e} submit=${s("reseller.create")} ready=${Js(t)} onSubmit=${()=>e.send(Ks(t))} onClose=${()=>C()}>
      <${Qs} form=${e} />
    <//>
  </section><//>`}var Si=[["/",ua],["/lines",Ga],["/lines/:id",Da],["/jobs",$a],["/jobs/:id",fa],["/resellers",yi],["/resellers/:id",ui],["/statement",vi],["/activity",Jr],["/webhooks",xi],["/webhooks/:id",oi],["/keys",_a],["/keys/:id",Ta],["/staff",Oa],["/staff/:id",qa],["/messages",Ja],["/sessions",Ca],["/proof",da],["/prices",ri]];var xm=5,Sm=200,_i=({username:e,whatsapp:t,notes:n,telegram:r,email:a,external_id:i},l)=>[e,t,n,r,a,i].find(c=>mt(c,l));function Ci(e,t,n){let r=j(e&&n?e:null,{q:n,limit:xm},(c,m,d)=>J("GET",c,{query:m,signal:d}).then(p=>({...p,of:n}))),a=r.value,i=V([]);a&&(i.current=a.data);let l=a?.of===t;return{rows:t?l?i.current:i.current.filter(c=>_i(c,t)):[],more:l&&a?.next_cursor!==null,settled:!e||!t||l||n===t&&!!r.problem,problem:t&&r.problem,reload:r.reload}}function Oi({places:e,close:t}){let{path:n,query:r}=M.use(),a=st(),i=V(null),l=V(!1),[c,m]=g(n==="/lines"&&r.get("q")||""),[d,p]=g(""),[u,$]=g(""),b=ke(c);S(()=>{let x=setTimeout(()=>p(b),Sm);return()=>clearTimeout(x)},[b]);let y=Qn("trial that was searched for",t),v=Ci(w("lines:read")?"/lines":"",b,d),k=Ci(Q.seeResellers()?"/users":"",b,d),T=v.settled&&k.settled,L=x=>({name:x.username,record:!0,hit:mt(x.username,b)?x.whatsapp:_i(x,b)||x.whatsapp}),O=v.rows.length,z=k.rows.filter(({id:x})=>x!==h().id),ne=({name:x})=>!b||!!mt(x,b),ce=x=>x.map(([le,Me,Di])=>({key:le,to:le,icon:Me,name:Di})).filter(ne),Le=[[s("nav.lines"),v.rows.map(x=>({key:"line "+x.id,icon:"tv",to:"/lines/"+x.id,end:ds(x.expDate),...L(x)}))],[s("nav.resellers"),z.map(x=>({key:"user "+x.id,icon:"users",to:"/resellers/"+x.id,end:x.is_admin?"":s("balance-after",{amount:E(x.credits)}),...L(x)}))],[s("actions"),[...w("lines:write")?[{key:"trial",icon:"plus",name:s("trial.new"),act:()=>y.send({})}].filter(ne):[],...ce([...Q.createResellers()?[["/resellers?do=create","plus",s("reseller.new")]]:[],...w("manage")?[["/staff?do=create","plus",s("staff.new")],["/keys?do=create","plus",s("key.new")]]:[]]),...O||v.more?[{key:"list",icon:"list-filter",to:"/lines?"+new URLSearchParams({q:b}),name:v.more?s("search.list"):s("search.list-n",{n:O,count:q(O)})}]:[]]],[s("search.places"),ce(e)]].filter(([,x])=>x.length),pe=Le.flatMap(([,x])=>x),ve=pe.find(({key:x})=>x===u)||(b?pe[0]:void 0),K=x=>x&&a+x.key.replace(/\W/g,"-"),oe=()=>document.getElementById(K(ve)||"");je(()=>{let x=i.current,le=x.querySelector("input");return x.showModal(),le?.focus(),le?.select(),()=>x.close()},[]),S(()=>oe()?.scrollIntoView({block:"nearest"}),[ve?.key]),S(()=>{!T||!l.current||(l.current=!1,oe()?.click())},[T]);let Ie=x=>{let le={ArrowDown:1,ArrowUp:-1}[x.key];if(le&&pe.length)$(pe.at((ve?pe.indexOf(ve)+le:le>0?0:-1)%pe.length)?.key||"");else if(x.key==="Enter")T?oe()?.click():l.current=!0;else return;x.preventDefault()},Jt=O+z.length,I=v.problem||k.problem,te=!b||!T||I?"":!Jt&&(v.more||k.more)?s("list.paused"):s("search.results",{n:Jt,count:q(Jt)+(v.more||k.more?"+":"")});return o`<dialog class="palette" ref=${i} aria-label=${s("search")} onClose=${t} onKeyDown=${x=>x.stopPropagation()}
    onPointerDown=${x=>{qn(x)&&t()}}>
    <div class="palette-head"><${f} name="search" />
      <input type="text" role="combobox" aria-expanded=${pe.length>0} aria-controls=${a} aria-activedescendant=${K(ve)} aria-autocomplete="list" aria-label=${s("search")} value=${c}
        enterkeyhint="go" autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" onKeyDown=${Ie}
        onInput=${x=>{m(x.target.value),$(""),l.current=!1}} />
      <kbd class="key desk" aria-hidden="true">Esc</kbd><button type="button" class="button ghost only thumb" aria-label=${s("close")} onClick=${t}><${f} name="x" /></button></div>
    ${pe.length>0&&o`<ul class="menu" role="listbox" id=${a} aria-label=${s("search")} aria-busy=${!T} onClick=${x=>{x.defaultPrevented&&x.target.closest("a")&&t()}}>
      ${Le.map(([x,le])=>o`<li key=${x} role="group" aria-label=${x}><span class="menu-head" aria-hidden="true">${x}</span>
        ${le.map(Me=>o`<${Cm} key=${Me.key} of=${Me} id=${K(Me)} on=${Me===ve} by=${b} off=${y.frozen} />`)}</li>`)}</ul>`}
    ${I&&o`<${N} problem=${I} retry=${()=>{v.reload(),k.reload()}} />`}
    <${Vn} form=${y} />
    ${!!te&&!pe.length&&o`<p class="quiet none">${s("search.none")}</p>`}
    <footer><span class="desk"><kbd class="key">↑</kbd> <kbd class="key">↓</kbd> ${s("search.choose")}</span><span class="desk"><kbd class="key">Enter</kbd> ${s("search.open")}</span><span class="count" role="status">${te}</span></footer>
  </dialog>`}function Cm({of:{icon:e,name:t,to:n,act:r,record:a,hit:i,end:l},id:c,on:m,by:d,off:p}){let u={id:c,role:"option",tabindex:-1,"aria-selected":m,class:m?"is-hover":""},$=o`<${f} name=${e} /><span class="clip" translate=${!a}><${dt} text=${t} by=${d} />${i&&o` <span class="quiet"><${dt} text=${i} by=${d} /></span>`}</span>
    ${l&&o`<span class="at desk">${l}</span>`}`;return n?o`<${_} to=${n} ...${u}>${$}<//>`:o`<button type="button" disabled=${p} onClick=${r} ...${u}>${$}</button>`}var wo=`resellerd${me} keys off`,yo=ie(!Ne(wo)),ut=ie(!1);function _m(e){e?localStorage.removeItem(wo):De(wo,"yes"),yo.set(e)}function Ti(e){let t=document.querySelector("[data-search]");!(t instanceof HTMLElement)||document.querySelector("dialog[open]")||(e.preventDefault(),t.focus(),t.click())}addEventListener("keydown",e=>{if(e.key==="k"&&(e.ctrlKey||e.metaKey)&&!e.altKey&&Ti(e),e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let t=e.target instanceof HTMLElement?e.target:document.body,n=t.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!ut.get()){n?t.blur():M.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&C();return}if(!(n||!yo.get()||ut.get())){if(e.key==="/")Ti(e);else if(e.key==="x")(t.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(t.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),ut.set(!0);else if(e.key==="j"||e.key==="k"){let r=[...document.querySelectorAll("[data-row]")],a=r.findIndex(l=>l===t||(l.closest("tr")||l.previousElementSibling)?.contains(t)),i=a>=0?a+(e.key==="j"?1:-1):r.findIndex(l=>l.getBoundingClientRect().top>=0);if(!r[i])return;e.preventDefault(),r[i].focus(),r[i].scrollIntoView({block:"nearest"})}}});var Om=[["/ Ctrl+K","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function qi(){let e=V(null),t=ut.use(),n=yo.use();return S(()=>{t?e.current?.showModal():e.current?.close()},[t]),o`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>ut.set(!1)}>
    <h2 id="keys">${s("keys.title")}</h2>
    <dl class="facts">${Om.map(([r,a])=>o`<div key=${r}><dt>${r.split(" ").map(i=>o`<kbd>${i}</kbd> `)}</dt><dd>${s("keys."+a)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${n} onChange=${r=>_m(r.target.checked)} />${s("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>ut.set(!1)}>${s("close")}</button></div>
  </dialog>`}var vo=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",Q.haveBelow],["/statement","receipt-text","ledger:read"]],ko={business:[["/prices","tag","",()=>!!h().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!h().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},fn=([,,e,t])=>w(e)&&t?.()!==!1,xo=e=>s("nav."+(e.slice(1)||"home"));function Ei({children:e}){let{path:t}=M.use(),n=Tn.use(),[r,a]=g(!1),i=Ho(r,()=>a(!1)),l="/"+t.split("/")[1],c=Tm(),m=([d,p])=>o`<${_} key=${d} to=${d} title=${xo(d)} aria-current=${d===l?"page":void 0}>
    <${f} name=${p} /><span>${xo(d)}</span><//>`;return o`
    <a class="skip" href="#main">${s("skip")}</a>
    <nav class="places" aria-label=${s("nav")}>
      <${_} to="/" class="brand" translate=${!1}><${yn} /><span class="clip">${Qt}</span><//>
      ${vo.filter(fn).map(m)}
      <div class="rest" ref=${i}>
        <button type="button" aria-expanded=${r} aria-controls="more" onClick=${()=>a(!r)}><${f} name="menu" /><span>${s("nav.more")}</span></button>
        ${r&&o`<div class="veil" onClick=${()=>a(!1)}></div>`}
        <div id="more" class=${r?"more open":"more"} onClick=${d=>{d.target.closest("a")&&a(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${Fi} /></span></div>
          ${Object.entries(ko).map(([d,p])=>p.some(fn)&&o`<div key=${d} class=${"group "+d}><p class="group-name">${s("nav.group."+d)}</p>${p.filter(fn).map(m)}</div>`)}
          <div class="narrow"><${vn} /><${kn} /></div>
        </div>
      </div>
      <${yr} />
    </nav>
    <header class="top" data-who=${c}>
      <${_} to="/" class="start" aria-label=${Qt}><${yn} /><//>
      <${qm} />
      <${Fi} link />
      <${fe} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${_} to="/sessions"><${f} name="shield-check" />${s("nav.sessions")}<//>
        <${vn} />
        <button type="button" onClick=${()=>ut.set(!0)}><${f} name="keyboard" />${s("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${kn} />
      <//>
    </header>
    <${jo} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${n.map(d=>o`<${Fm} key=${d.id} sent=${d} />`)}<${cr} />
      </div>
      ${[...vo,...Object.values(ko).flat()].every(([d,,p])=>d!==l||w(p))?e:o`<${B} title=${s("nav."+l.slice(1))}><${ee}><p>${s("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${qi} /><${Uo} />`}function Tm(){let{staff:e,username:t}=h();return e?s("acts-for",{name:e.username,account:t}):t}function qm(){let[e,t]=g(!1);return o`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${()=>t(!0)}>
    <${f} name="search" /><span class="clip">${s("search")}${w("lines:read")&&o` <span class="desk">${s("search.what")}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${e&&o`<${Oi} places=${[...vo,...Object.values(ko).flat()].filter(fn).map(([n,r])=>[n,r,xo(n)])} close=${()=>t(!1)} />`}`}function Fi({link:e=!1}){let t=_e.use();if(!t||t.is_admin)return null;if(!e)return o`<span class="quiet"><${$e} of=${t.credits} /></span>`;let n=o`<${f} name="coins" /><${Bo} of=${t.credits} />`;return w("ledger:read")?o`<${_} to="/statement" class="balance">${n}<//>`:o`<span class="balance">${n}</span>`}function Fm({sent:e}){let t=rr(e),n=t.state.use(),[r,a]=g(!1),{path:i}=M.use(),l=e.place&&e.place!==i+location.search;if(S(()=>{a(!1);let m=setTimeout(()=>a(!0),e.place&&!l?5e3:700);return()=>clearTimeout(m)},[l]),S(()=>t.state.watch(()=>{let m=t.state.get();m==="done"&&!e.place&&re(P(s("form.settled",{title:e.title}),{payer:e.payer,key:t.kept.key})),t.problem&&(m==="refused"||m==="over")&&(t.drop(),re(P(s("form.not-done",{title:e.title,why:Ao(t.problem).text}),{tone:"bad"})))}),[]),!r)return null;let c={problem:t.problem,pays:!!e.payer,tooOld:t.tooOld(),again:()=>t.again(),discard:()=>t.drop()};return o`<div class="toast" data-form=${n}><p>${s("form.pending",{title:e.title})}</p>
    ${l?o`<div class="buttons"><${_} class="button primary" to=${e.place}>${s("form.back")}<//></div>`:n==="sending"?o`<p role="status">${s("form.sending")}</p>`:o`<${ge} form=${c} />`}</div>`}function Mv(){let{path:e}=M.use();if(e==="/sign-in")return be("/",{replace:!0}),null;let t=Io(Si,e);return o`<${Ei}>
    ${t?o`<${t.screen} key=${e} id=${t.id} />`:o`<${B} title=${s("nowhere")}><p><${_} to="/">${s("nav.home")}<//></p><//>`}
  <//>`}function Em(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var Ri="";function Pi(){let e=Be.get();!("who"in e)||se(e.who)===Ri||(Ri=se(e.who),Jo(),hr(),vs(),Se.set(null),tt.set(null),Em())}Pi();Be.watch(Pi);export{Mv as Inside};
//# sourceMappingURL=inside.js.map
