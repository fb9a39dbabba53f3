/* report_page.js: draws the charts of a page of sparcl report with uPlot, from the numbers in the page. */
(() => {
    'use strict';
    /* The points of a curve that have both numbers, by x. */
    const pointsOf = curve => curve.x.map((x, i) => [x, curve.y[i]])
        .filter(([x, y]) => x !== null && y !== null)
        .sort((a, b) => a[0] - b[0]);

    /* After all colours are used, they are used again with dashes, as in the SVG. */
    const seriesOf = ({name, colour}, i, curves) => ({
        label: name,
        stroke: colour,
        dash: curves.findIndex(other => other.colour === colour) < i ? [8, 4] : undefined,
        width: 2,
        points: {show: true, size: 5},
        spanGaps: true, /* another curve has a point there */
    });

    const draw = figure => {
        const chart = JSON.parse(figure.querySelector('script').textContent);
        const curves = chart.curves.map(curve => ({...curve, points: pointsOf(curve)}))
            .filter(curve => curve.points.length > 0);
        const data = uPlot.join(curves.map(({points}) => [points.map(p => p[0]), points.map(p => p[1])]));
        const options = {
            title: chart.title,
            width: figure.clientWidth,
            height: 360,
            scales: {x: {time: false}},
            axes: [{label: chart.x}, {label: chart.y, size: 80}],
            series: [{label: chart.x}, ...curves.map(seriesOf)],
        };
        const plot = new uPlot(options, data, figure);
        addEventListener('resize', () => plot.setSize({width: figure.clientWidth, height: options.height}));
    };

    document.querySelectorAll('figure:not(.drawn)').forEach(draw);
})();
