#!/bin/sh
# The page of sparcl report in Chromium: uPlot draws every curve, nothing is written on the console, no page scrolls sideways, and without
# JavaScript the curves are there as SVG.
. "$(dirname "$0")/checks.sh"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$chromium" ]; then
    echo "skipped: Chromium is not installed"
    exit 77
fi
need_device

awk 'BEGIN { for (i = 0; i < 400; i++) print (i % 3 ? 1 : -1) " " i % 7 + 1 ":1 " i % 11 + 8 ":0.5" }' >"$work/data.svm"
for optimizer in adam:lr=0.02 adagrad:lr=0.1; do
    # A name that ends an element, if it is not escaped.
    run train "$work/data.svm" -o "$work/model" --batch 32 --epochs 4 --hold-out 0.2 --optimizer "$optimizer" \
        --manifest "$work/${optimizer%:*}<!--.json" --progress none
    check "a run exits 0" exits 0
done
run report "$work/adam<!--.json" "$work/adagrad<!--.json" -o "$work/page.html"
check "a report exits 0" exits 0

# What the pixels of each canvas show: the colours of the first two curves. Loss, validation loss, rate, calibration.
cp "$work/page.html" "$work/looked-at.html"
cat >>"$work/looked-at.html" <<'END'
<script>
setTimeout(() => {
    const shows = (data, colour) => {
        for (let i = 0; i < data.length; i += 4)
            if (colour.every((value, k) => data[i + k] === value) && data[i + 3] === 255) return 1;
        return 0;
    };
    const curvesOf = canvas => {
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return [[0, 0x72, 0xb2], [0xd5, 0x5e, 0]].map(colour => shows(data, colour)).join('');
    };
    document.body.dataset.fits = document.documentElement.scrollWidth <= innerWidth;
    document.body.dataset.curves = [...document.querySelectorAll('canvas')].map(curvesOf).join(' ');
}, 200);
</script>
END
browse() { # browse PAGE [WIDTH]: $work/out is the document, $work/err has the messages on the console
    HOME=$work timeout 3600 "$chromium" --headless --no-sandbox --disable-gpu --window-size="${2:-1280}",900 --enable-logging=stderr \
        --virtual-time-budget=2000 --dump-dom "file://$work/$1" >"$work/out" 2>"$work/err"
}
browse looked-at.html
check "two curves are in each of four charts" out_has 'data-curves="11 11 11 11"'
check "with the names of the runs" out_has '1: adam&lt;!--.json'
check "nothing is on the console" err_lacks CONSOLE
check "nothing is wider than 1280 pixels, but inside its box" out_has 'data-fits="true"'
browse looked-at.html 500
check "nor than 500" out_has 'data-fits="true"'
check "with all curves" out_has 'data-curves="11 11 11 11"'
sed 's/<noscript>/<div>/; s/<\/noscript>/<\/div>/' "$work/page.html" >"$work/plain.html"
browse plain.html
check "what is there without JavaScript are SVG curves" [ "$(grep -c '<polyline' "$work/out")" -eq 12 ]
sed 's/new uPlot(/new noPlot(/' "$work/page.html" >"$work/broken.html"
browse broken.html
check "an error would be seen" grep -q 'CONSOLE.*noPlot' "$work/err"
finish
